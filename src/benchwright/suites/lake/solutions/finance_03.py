import pandas as pd

index = pd.read_csv("/data/markets/sp500_daily.csv.gz").drop_duplicates("date")
years = index[index["date"].between("2013-01-01", "2014-12-31")]
print(f"{len(years)}; {years['close'].mean():.2f}")
