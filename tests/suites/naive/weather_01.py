import pandas as pd

air = pd.read_csv("/data/stations/new_york_air_quality_1973.csv")
print(f"{air['Ozone'].mean():.2f}")
