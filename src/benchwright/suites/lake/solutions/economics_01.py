import pandas as pd

firms = pd.read_csv("/data/firms/grunfeld_investment.csv")
print(f"{firms['capital'].mean():.3f}")
