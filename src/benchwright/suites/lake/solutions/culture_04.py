import pandas as pd

chart = pd.read_csv("/data/music/billboard_2000_weekly.csv")
ranks = chart[[name for name in chart.columns if name.startswith("wk")]]
weeks = ranks.notna().sum(axis=1)
print(f"{weeks.max()}; {chart.loc[weeks.idxmax(), 'track']}; {(ranks == 1).any(axis=1).sum()}")
