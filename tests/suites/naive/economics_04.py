import pandas as pd

prices = pd.read_csv("/data/commodities/world_bank_monthly.csv").sort_values("date")
decade = prices[prices["date"].between("Jan-2010", "Dec-2019") | prices["date"].between("Dec-2019", "Jan-2010")]
highest = decade.loc[decade["coffee_arabica"].idxmax(), "date"]
print(f"{decade['coffee_arabica'].mean():.4f}; {highest}")
