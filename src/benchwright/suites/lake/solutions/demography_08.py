import pandas as pd

FOLDER = "/data/usa/births"


def source(frame, date_format, first, last):
    days = pd.DataFrame({"day": pd.to_datetime(frame["date"], format=date_format), "births": frame["births"]})
    return days[days["day"].dt.year.between(first, last)]


early = source(pd.read_csv(f"{FOLDER}/daily_births_1994_2003.csv"), "%Y-%m-%d", 1994, 1999)
middle = source(pd.read_csv(f"{FOLDER}/daily_births_2000_2014.csv.gz"), "%m/%d/%y", 2000, 2014)
late = source(pd.read_json(f"{FOLDER}/daily_births_2015.jsonl", lines=True), "%Y-%m-%d", 2015, 2015)

series = pd.concat([early, middle, late], ignore_index=True)
assert series["day"].is_unique
assert len(series) == len(pd.date_range("1994-01-01", "2015-12-31"))


def seasonal_ratio(days):
    days = days.assign(year=days["day"].dt.year, month=days["day"].dt.month)
    yearly = days.groupby("year")["births"].mean()
    monthly = days.groupby(["month", "year"])["births"].mean().unstack("year")
    assert monthly.shape == (12, 22)
    return monthly / yearly


ratio = seasonal_ratio(series)
table = pd.DataFrame(
    {
        "index": (ratio.mean(axis=1) * 100).map("{:.2f}".format),
        "lowest_year": ratio.idxmin(axis=1),
        "highest_year": ratio.idxmax(axis=1),
    }
)
table.index.name = "month"
table.to_csv("season.csv")
