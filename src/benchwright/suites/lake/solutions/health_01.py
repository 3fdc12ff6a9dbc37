import pandas as pd

births = pd.read_csv("/data/cohorts/birth_weight_baystate.csv")
print(f"{births['mother_weight_lb'].mean():.2f}")
