import pandas as pd

flights = pd.read_csv("/data/aviation/departures/2013/nyc_departures_january.csv")
carriers = pd.read_csv("/data/aviation/reference/carriers.txt", sep="|")
known = flights[(flights["origin"] == "JFK") & flights["arr_delay"].notna()]
delays = known.groupby("carrier")["arr_delay"].agg(["mean", "size"])
worst = delays[delays["size"] >= 100]["mean"].idxmax()
name = carriers.set_index("iata_code").loc[worst, "airline_name"]
print(f"{name}; {delays.loc[worst, 'mean']:.2f}")
