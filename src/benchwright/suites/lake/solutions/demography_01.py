import pandas as pd

provinces = pd.read_csv("/data/europe/swiss_provinces_1888.csv", sep=";", decimal=",", encoding="cp1252")
print(f"{provinces['infant_mortality'].mean():.3f}")
