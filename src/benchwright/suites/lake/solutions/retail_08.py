import pandas as pd

arrivals = pd.read_csv("/data/tourism/arrivals_australia_quarterly.csv", thousands=",")
arrivals["year"] = arrivals["Quarter"].str[:4].astype(int)
totals = arrivals.groupby(["Origin", "year"])["Arrivals"].sum().unstack("year")
growth = totals[2010] - totals[1990]
print(f"{growth.idxmax()}; {growth.max()}")
