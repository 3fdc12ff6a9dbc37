import pandas as pd

people = pd.read_csv("/data/cohorts/nhefs/nhefs_2024.csv")
measured = people[people["sbp"] != 999]
means = measured.groupby("qsmk")["sbp"].mean()
print(f"{means[1]:.2f}; {means[0]:.2f}")
