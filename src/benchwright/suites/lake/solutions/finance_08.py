import pandas as pd

companies = pd.read_csv("/data/companies/forbes_2000_ranking.csv", sep=";", decimal=",", encoding="latin-1")
totals = companies.groupby("category")["profits"].sum()
print(f"{totals.idxmax()}; {totals.max():.2f}")
