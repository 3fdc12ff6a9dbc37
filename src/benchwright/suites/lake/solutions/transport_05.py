import pandas as pd

flights = pd.read_csv("/data/aviation/departures/2013/nyc_departures_november.csv.gz", sep=";")
laguardia = flights[flights["origin"] == "LGA"]
departed = laguardia[laguardia["dep_delay"] != 9999]
print(f"{departed['dep_delay'].mean():.2f}; {len(laguardia) - len(departed)}")
