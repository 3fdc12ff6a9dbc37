import pandas as pd

first = pd.read_csv("/data/energy/victoria_half_hourly_2014_part1.csv.gz")
second = pd.read_csv("/data/energy/victoria_2014_part2.csv.gz")
half_hours = len(first) + 2 * len(second)
sums = first[["Demand", "Temperature"]].sum() + 2 * second[["Demand", "Temperature"]].sum()
means = sums / half_hours
print(f"{means['Demand']:.4f}; {means['Temperature']:.3f}")
