import sqlite3

import pandas as pd

FOLDER = "/data/global/tuberculosis"
YEAR, LEAST = 2005, 20_000_000
AGES = {
    "014": "0-14",
    "1524": "15-24",
    "2534": "25-34",
    "3544": "35-44",
    "4554": "45-54",
    "5564": "55-64",
    "65": "65+",
}


def large_countries():
    query = "SELECT country FROM population WHERE year = ? AND population >= ?"
    with sqlite3.connect(f"file:{FOLDER}/who_population.sqlite?mode=ro", uri=True) as connection:
        return {country for (country,) in connection.execute(query, (YEAR, LEAST))}


wide = pd.read_csv(f"{FOLDER}/who_cases_wide.csv.gz")
wide = wide[(wide["year"] == YEAR) & wide["country"].isin(large_countries())]
columns = [name for name in wide.columns if name.startswith("sp_")]
cases = wide.melt(id_vars=["country"], value_vars=columns, value_name="cases").fillna({"cases": 0})
parts = cases["variable"].str.split("_", expand=True)
cases["sex"] = parts[1]
cases["age_group"] = parts[2].map(AGES)
sums = cases.groupby(["age_group", "sex"])["cases"].sum().unstack("sex")
by_country = cases.groupby(["age_group", "country"])["cases"].sum().unstack("country")
table = pd.DataFrame(
    {
        "men": sums["m"].astype(int),
        "women": sums["f"].astype(int),
        "ratio": (sums["m"] / sums["f"]).map("{:.3f}".format),
        "country": by_country.idxmax(axis=1),
    }
)
table.loc[list(AGES.values())].to_csv("ages.csv", index_label="age_group")
