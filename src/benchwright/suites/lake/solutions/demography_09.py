import pandas as pd

populations = pd.read_parquet("/data/world/country_populations_1960_2022.parquet")
wide = populations.pivot(index="country_name", columns="year", values="population")
change = (wide[2022] - wide[1990]).dropna().sort_values()
print("; ".join(change.index[:5]))
