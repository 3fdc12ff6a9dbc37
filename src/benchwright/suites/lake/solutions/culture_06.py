import pandas as pd

folder = "/data/television/drag_race"
contestants = pd.read_csv(f"{folder}/contestants.csv")
results = pd.read_csv(f"{folder}/episode_results.csv.gz")
wins = results[results["outcome"] == "WIN"].groupby(["season", "contestant"]).size().rename("wins").reset_index()
winners = contestants.merge(wins[wins["wins"] >= 3], on=["season", "contestant"])
print(f"{len(winners)}; {winners['age'].mean():.2f}")
