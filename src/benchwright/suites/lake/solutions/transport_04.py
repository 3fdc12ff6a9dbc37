import sqlite3

import pandas as pd

flights = pd.read_parquet("/data/aviation/departures/2013/nyc_departures_july.parquet", columns=["tailnum"])
with sqlite3.connect("file:/data/aviation/reference/registry.sqlite?mode=ro", uri=True) as connection:
    aircraft = pd.read_sql("SELECT tailnum, manufacturer, seats FROM aircraft", connection)
flown = flights.merge(aircraft, on="tailnum")
table = flown.groupby("manufacturer").agg(
    flights=("tailnum", "size"), aircraft=("tailnum", "nunique"), mean_seats=("seats", "mean")
)
top = table.sort_values("flights", ascending=False).head(8).reset_index()
top["mean_seats"] = top["mean_seats"].map("{:.1f}".format)
top.to_csv("manufacturers.csv", index=False)
