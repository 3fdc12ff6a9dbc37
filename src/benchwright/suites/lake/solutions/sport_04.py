import sqlite3

import pandas as pd

salaries = pd.read_csv("/data/baseball/salaries_2010.csv", sep=";", thousands=",")
with sqlite3.connect("file:/data/baseball/team_seasons.sqlite?mode=ro", uri=True) as connection:
    seasons = pd.read_sql("SELECT team_name, wins FROM season WHERE year = 2010", connection)
paid = salaries.groupby("team")["salary"].sum()
wins = seasons.set_index("team_name")["wins"]
per_win = (paid / wins).dropna()
print(f"{per_win.idxmax()}; {per_win.max():.1f}; {per_win.idxmin()}")
