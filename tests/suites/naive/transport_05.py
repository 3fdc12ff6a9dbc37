import pandas as pd

flights = pd.read_csv("/data/aviation/departures/2013/nyc_departures_november.csv.gz", sep=";")
laguardia = flights[flights["origin"] == "LGA"]
print(f"{laguardia['dep_delay'].mean():.2f}; {laguardia['dep_delay'].isna().sum()}")
