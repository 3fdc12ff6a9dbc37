import pandas as pd

first = pd.read_csv("/data/pizzeria/orders_2015_first_half.csv.gz")
second = pd.read_parquet("/data/pizzeria/orders_2015_second_half.parquet")
first["day"] = pd.to_datetime(first["date"])
second["day"] = pd.to_datetime(second["date"], format="%m/%d/%Y", errors="coerce")
daily = pd.concat([first, second]).groupby("day")["price"].sum()
weekdays = daily.groupby(daily.index.day_name()).mean()
print(f"{daily.idxmax():%Y-%m-%d}; {daily.max():.2f}; {weekdays.idxmax()}")
