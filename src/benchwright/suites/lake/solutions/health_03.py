import pandas as pd

records = pd.read_csv("/data/registers/contagious_diseases_us.csv.gz")
measles = records[(records["disease"] == "Measles") & records["year"].between(1958, 1962)]
totals = measles.groupby("state")[["count", "population"]].sum()
rate = totals["count"] / totals["population"] * 100_000
print(f"{rate.idxmax()}; {rate.max():.1f}")
