import numpy as np
import pandas as pd

FOLDER = "/data/markets"
START, END = "2004-12", "2009-12"
MONTHS = 60


def share_returns():
    prices = pd.read_csv(f"{FOLDER}/tech_stocks_monthly.csv", sep=";")
    month = pd.to_datetime(prices["date"], format="%b %d %Y").dt.to_period("M")
    wide = prices.assign(month=month).pivot(index="month", columns="symbol", values="price")
    span = wide.loc[START:END]
    assert span.notna().all().all()
    return span.pct_change(fill_method=None).iloc[1:]


def index_returns():
    daily = pd.read_csv(f"{FOLDER}/sp500_daily.csv.gz").drop_duplicates("date")
    daily["day"] = pd.to_datetime(daily["date"])
    daily = daily.sort_values("day")
    last = daily.groupby(daily["day"].dt.to_period("M"))["close"].last()
    return last.loc[START:END].pct_change(fill_method=None).iloc[1:]


def largest_drawdown(value):
    highest = np.maximum.accumulate(value)
    return (1 - value / highest).max()


shares = share_returns()
portfolio = shares.mean(axis=1)
assert len(portfolio) == MONTHS
value = np.concatenate([[1.0], (1 + portfolio).cumprod()])
both = pd.concat([portfolio.rename("portfolio"), index_returns().rename("index")], axis=1, join="inner")
assert len(both) == MONTHS
beta, _ = np.polyfit(both["index"], both["portfolio"], 1)
total = (value[-1] - 1) * 100
drawdown = largest_drawdown(value) * 100
print(f"{total:.1f}%; {drawdown:.1f}%; {beta:.3f}")
