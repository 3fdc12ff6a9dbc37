import pandas as pd

named = pd.read_csv("/data/storms/named_us_hurricanes.csv")
tracks = pd.read_parquet("/data/storms/atlantic_tracks.parquet")
named["key"] = named["Name"].str.lower()
tracks["key"] = tracks["name"].str.lower()
storms = tracks.groupby(["key", "year"]).agg(
    name=("name", "first"), max_wind_knots=("wind", "max"), min_pressure=("pressure", "min")
)
found = named[named["Year"] >= 1975].merge(storms.reset_index(), left_on=["key", "Year"], right_on=["key", "year"])
top = found.sort_values("damage2014", ascending=False).head(10)
columns = ["name", "year", "max_wind_knots", "min_pressure", "damage2014", "deaths"]
top[columns].to_csv("hurricanes.csv", index=False)
