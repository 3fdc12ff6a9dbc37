import pandas as pd

plans = pd.read_csv("/data/companies/pension_plans_401k.csv")
print(f"{plans['participation_rate'].mean():.3f}")
