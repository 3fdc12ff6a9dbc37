import pandas as pd

players = pd.read_csv("/data/basketball/nba_players_2018_19.csv")
players["cm"] = players["height"].where(players["unit"] == "cm", players["height"] * 2.54)
teams = players.groupby("team")["cm"].mean()
print(f"{players['cm'].mean():.2f}; {teams.idxmax()}")
