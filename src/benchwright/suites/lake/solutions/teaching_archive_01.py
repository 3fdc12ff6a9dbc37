import pandas as pd

journals = pd.read_csv("/data/econometrics/aer/journals.csv")
print(f"{journals['library_subscriptions'].mean():.3f}")
