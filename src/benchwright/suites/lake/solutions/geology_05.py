import sqlite3

import pandas as pd

with sqlite3.connect("file:/data/chemistry/oslo_transect.sqlite?mode=ro", uri=True) as connection:
    samples = pd.read_sql("SELECT forest, altitude, Cu FROM measurement JOIN site USING (site)", connection)
table = samples.groupby("forest").agg(measurements=("Cu", "size"), altitude=("altitude", "mean"), copper=("Cu", "mean"))
table["altitude"] = table["altitude"].map("{:.2f}".format)
table["copper"] = table["copper"].map("{:.4f}".format)
table.to_csv("forests.csv")
