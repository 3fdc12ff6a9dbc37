import pandas as pd

populations = pd.read_parquet("/data/world/country_populations_1960_2022.parquet")
continents = pd.read_csv("/data/world/continents.csv")
wide = populations.pivot(index="country_name", columns="year", values="population")[[1960, 2020]].dropna()
both = continents.merge(wide, left_on="country", right_index=True)
table = both.groupby("continent").agg(
    countries=("country", "size"), population_1960=(1960, "sum"), population_2020=(2020, "sum")
)
table["factor"] = (table["population_2020"] / table["population_1960"]).map("{:.3f}".format)
table.astype({"population_1960": "int64", "population_2020": "int64"}).to_csv("growth.csv")
