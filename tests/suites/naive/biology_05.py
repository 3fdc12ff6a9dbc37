import pandas as pd

hawks = pd.read_csv("/data/animals/birds/hawks_2004.csv")
names = pd.read_csv("/data/animals/birds/hawk_species.txt", sep="|")
means = hawks.merge(names, on="Species").groupby("common_name")["Weight"].mean().sort_index()
print("; ".join(f"{name}: {grams:.1f}" for name, grams in means.items()))
