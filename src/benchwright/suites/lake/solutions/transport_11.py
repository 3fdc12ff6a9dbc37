import sqlite3

import pandas as pd

FOLDER = "/data/aviation"
YEAR, MONTH = 2013, 1
LATE_MINUTES = 15
LEAST_FLIGHTS = 500


def departures():
    flights = pd.read_csv(f"{FOLDER}/departures/2013/nyc_departures_january.csv")
    flights["hour"] = flights["sched_dep_time"] // 100
    return flights[flights["dep_delay"].notna()]


def register():
    query = "SELECT tailnum, year AS built FROM aircraft WHERE year IS NOT NULL"
    with sqlite3.connect(f"file:{FOLDER}/reference/registry.sqlite?mode=ro", uri=True) as connection:
        return pd.read_sql(query, connection)


def airlines():
    names = pd.read_csv(f"{FOLDER}/reference/carriers.txt", sep="|")
    return names.set_axis(["carrier", "airline"], axis=1)


def weather():
    hours = pd.read_parquet(f"{FOLDER}/weather/airport_weather_2013_hourly.parquet")
    january = hours[(hours["year"] == YEAR) & (hours["month"] == MONTH)]
    return january[["origin", "day", "hour", "precip"]].drop_duplicates(["origin", "day", "hour"])


flights = departures().merge(register(), on="tailnum").merge(weather(), on=["origin", "day", "hour"])
flights = flights.merge(airlines(), on="carrier")
assert (flights["month"] == MONTH).all()
flights["age"] = YEAR - flights["built"]
flights["late"] = (flights["dep_delay"] > LATE_MINUTES) * 100
flights["wet"] = flights["precip"] > 0
table = flights.groupby("airline").agg(flights=("age", "size"), mean_age=("age", "mean"))
late = flights.groupby(["airline", "wet"])["late"].mean().unstack("wet")
table["late_dry"] = late[False].map("{:.1f}".format)
table["late_wet"] = late[True].map("{:.1f}".format)
table["mean_age"] = table["mean_age"].map("{:.2f}".format)
table = table[table["flights"] >= LEAST_FLIGHTS].sort_values("flights", ascending=False)
table.to_csv("airlines.csv")
