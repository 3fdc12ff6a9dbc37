import pandas as pd

water = pd.read_csv("/data/oceans/key_west_water.csv.gz")
print(f"{water['WaterTemp'].mean():.3f}")
