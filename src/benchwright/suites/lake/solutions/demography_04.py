import pandas as pd

folder = "/data/usa/births"
early = pd.read_csv(f"{folder}/daily_births_1994_2003.csv")
late = pd.read_csv(f"{folder}/daily_births_2000_2014.csv.gz")
early["day"] = pd.to_datetime(early["date"], format="%Y-%m-%d")
late["day"] = pd.to_datetime(late["date"], format="%m/%d/%y")
both = late.merge(early, on="day", suffixes=("_late", "_early"))
excess = both["births_late"] - both["births_early"]
print(f"{excess.mean():.3f}; {both.loc[excess.idxmax(), 'day']:%Y-%m-%d}")
