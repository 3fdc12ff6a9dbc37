import pandas as pd

states = pd.read_csv("/data/elections/states_2016.csv", sep=";")
print(f"{states['household_income'].median():.1f}")
