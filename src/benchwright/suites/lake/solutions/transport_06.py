import pandas as pd

flights = pd.read_csv("/data/aviation/departures/2013/nyc_departures_january.csv")
weather = pd.read_parquet("/data/aviation/weather/airport_weather_2013_hourly.parquet")
newark = flights[flights["origin"] == "EWR"]
delay = newark.groupby("day")["dep_delay"].mean()
january = weather[(weather["origin"] == "EWR") & (weather["month"] == 1)]
visibility = january.groupby("day")["visib"].mean()
daily = pd.concat([delay, visibility], axis=1, join="inner")
correlation = daily["dep_delay"].corr(daily["visib"])
print(f"{correlation:.3f}; 2013-01-{delay.idxmax():02d}")
