import sqlite3

import pandas as pd

with sqlite3.connect("file:/data/usa/housing/texas_sales.sqlite?mode=ro", uri=True) as connection:
    sales = pd.read_sql("SELECT city, year, median FROM sales WHERE year IN (2005, 2014)", connection)
stats = sales.groupby(["city", "year"])["median"].agg(["mean", "count"]).unstack("year")
complete = stats[(stats["count"] == 12).all(axis=1)]
rise = (complete["mean"][2014] / complete["mean"][2005] - 1) * 100
print(f"{rise.idxmax()}; {rise.max():.1f}%")
