import pandas as pd

guide = pd.read_json("/data/vehicles/fuel_economy/epa_guide_2021.jsonl", lines=True)
print(f"{guide['hwy_mpg'].mean():.2f}")
