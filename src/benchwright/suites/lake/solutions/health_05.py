import sqlite3

import pandas as pd

folder = "/data/global/tuberculosis"
cases = pd.read_csv(f"{folder}/who_cases_wide.csv.gz")
with sqlite3.connect(f"file:{folder}/who_population.sqlite?mode=ro", uri=True) as connection:
    population = pd.read_sql("SELECT country, year, population FROM population", connection)
columns = [name for name in cases.columns if name.startswith("sp_")]
cases["cases"] = cases[columns].sum(axis=1, min_count=1)
both = cases[["country", "year", "cases"]].merge(population, on=["country", "year"])
chosen = both[(both["year"] == 2010) & both["cases"].notna() & (both["population"] >= 1_000_000)].copy()
chosen["rate"] = chosen["cases"] / chosen["population"] * 100_000
top = chosen.sort_values("rate", ascending=False).head(10)
top["cases"] = top["cases"].astype(int)
top["rate"] = top["rate"].map("{:.2f}".format)
top[["country", "cases", "population", "rate"]].to_csv("tuberculosis.csv", index=False)
