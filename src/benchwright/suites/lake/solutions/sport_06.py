import pandas as pd

boston = pd.read_json("/data/running/boston_marathon_champions.json")
york = pd.read_csv("/data/running/new_york_marathon_champions.csv")
boston = boston[boston["Event"] == "Women's open champion"].set_index("Year")["Time"].dropna()
york = york[york["division"] == "Women"].set_index("year")["time"].dropna()
minutes = [pd.to_timedelta(times.astype(str)).dt.total_seconds() / 60 for times in (boston, york)]
difference = (minutes[0] - minutes[1]).loc[1990:2019].dropna()
print(f"{difference.mean():.2f}; {(difference < 0).sum()}")
