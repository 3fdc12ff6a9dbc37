import pandas as pd

days = pd.read_csv("/data/usa/births/daily_births_2000_2014.csv.gz")
date = pd.to_datetime(days["date"], format="%m/%d/%y")
busiest = date[days["births"].idxmax()]
print(f"{busiest:%Y-%m-%d}; {days.loc[date.dt.month == 9, 'births'].mean():.2f}")
