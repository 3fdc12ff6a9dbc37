import calendar
import sqlite3

import pandas as pd

path = "file:/data/atmosphere/greenhouse/co2_stations.sqlite?mode=ro"
with sqlite3.connect(path, uri=True) as connection:
    loa = pd.read_sql("SELECT * FROM mauna_loa", connection)
    pole = pd.read_sql("SELECT * FROM south_pole", connection)
both = loa.merge(pole, on=["Year", "Month"], suffixes=("_loa", "_pole"))
both["excess"] = both["CO2_loa"] - both["CO2_pole"]
month = both.groupby("Month")["excess"].mean().idxmax()
print(f"{both['excess'].mean():.3f}; {calendar.month_name[month]}")
