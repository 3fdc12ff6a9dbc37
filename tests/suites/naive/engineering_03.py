import pandas as pd

first = pd.read_csv("/data/energy/victoria_half_hourly_2014_part1.csv.gz")
second = pd.read_csv("/data/energy/victoria_2014_part2.csv.gz")
means = pd.concat([first, second])[["Demand", "Temperature"]].mean()
print(f"{means['Demand']:.4f}; {means['Temperature']:.3f}")
