import pandas as pd

hawks = pd.read_csv("/data/animals/birds/hawks_2004.csv")
names = pd.read_csv("/data/animals/birds/hawk_species.txt", sep="|")
hawks["grams"] = hawks["Weight"].where(hawks["unit"] == "g", hawks["Weight"] * 28.349523)
means = hawks.merge(names, on="Species").groupby("common_name")["grams"].mean().sort_index()
print("; ".join(f"{name}: {grams:.1f}" for name, grams in means.items()))
