import pandas as pd

days = pd.read_csv("/data/stations/seattle_daily_2012_2015.csv", sep=";", decimal=",", encoding="latin-1")
days["year"] = pd.to_datetime(days["date"], format="%d.%m.%Y").dt.year
days["rain"] = days["weather"] == "rain"
years = days.groupby("year").agg(
    precipitation=("precipitation", "sum"), rain_days=("rain", "sum"), highest_temp=("temp_max", "max")
)
years["precipitation"] = years["precipitation"].map("{:.1f}".format)
years["highest_temp"] = years["highest_temp"].map("{:.1f}".format)
years.to_csv("seattle.csv")
