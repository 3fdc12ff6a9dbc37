import pandas as pd

prices = pd.read_csv("/data/markets/tech_stocks_monthly.csv", sep=";")
prices["date"] = pd.to_datetime(prices["date"], format="%b %d %Y")
prices["year"] = prices["date"].dt.year
last = prices.sort_values("date").groupby(["symbol", "year"])["price"].last().unstack("year")
returns = last.pct_change(axis=1, fill_method=None)[[2005, 2006, 2007, 2008, 2009]] * 100
returns.map("{:.2f}".format).to_csv("returns.csv")
