import pandas as pd

crises = pd.read_json("/data/banking/systemic_crises.jsonl", lines=True)
continents = pd.read_csv("/data/banking/country_regions.csv")
both = crises.merge(continents, on="country")
banking = both[(both["type"] == "banking") & (both["continent"] == "Africa") & both["year"].between(1980, 1999)]
counts = banking["year"].astype(int).value_counts().sort_index()
print(f"{len(banking)}; {counts.idxmax()}")
