import sqlite3

import pandas as pd

with sqlite3.connect("file:/data/multivariate/occupations/prestige.sqlite?mode=ro", uri=True) as connection:
    canada = pd.read_sql("SELECT * FROM canada", connection)
    usa = pd.read_sql("SELECT * FROM usa", connection)
correlations = [country["prestige"].corr(country["education"]) for country in (canada, usa)]
blue = canada.loc[canada["type"] == "bc", "prestige"].mean()
print(f"{correlations[0]:.4f}; {correlations[1]:.4f}; {blue:.2f}")
