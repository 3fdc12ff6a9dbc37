import pandas as pd

matches = pd.read_csv("/data/football/bundesliga_matches.csv.gz")
season = matches[matches["season_start"] == 2000]
columns = ["club", "scored", "conceded"]
home = season[["HomeTeam", "HomeGoals", "AwayGoals"]].set_axis(columns, axis=1)
away = season[["AwayTeam", "AwayGoals", "HomeGoals"]].set_axis(columns, axis=1)
games = pd.concat([home, away])
games["goal_difference"] = games["scored"] - games["conceded"]
games["points"] = 3 * (games["goal_difference"] > 0) + (games["goal_difference"] == 0)
table = games.groupby("club")[["points", "goal_difference"]].sum().reset_index()
table.sort_values(["points", "goal_difference"], ascending=False).head(6).to_csv("table.csv", index=False)
