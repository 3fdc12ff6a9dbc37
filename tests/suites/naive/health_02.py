import pandas as pd

people = pd.read_csv("/data/cohorts/nhefs/nhefs_2024.csv")
means = people.groupby("qsmk")["sbp"].mean()
print(f"{means[1]:.2f}; {means[0]:.2f}")
