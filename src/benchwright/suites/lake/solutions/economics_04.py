import pandas as pd

prices = pd.read_csv("/data/commodities/world_bank_monthly.csv")
month = pd.to_datetime(prices["date"], format="%b-%Y")
decade = prices[month.between("2010-01-01", "2019-12-31")]
highest = month[decade["coffee_arabica"].idxmax()]
print(f"{decade['coffee_arabica'].mean():.4f}; {highest:%Y-%m}")
