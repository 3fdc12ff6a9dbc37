import pandas as pd

applications = pd.read_csv("/data/credit/card_applications.csv")
print(f"{applications['expenditure'].mean():.3f}")
