import numpy as np
import pandas as pd

folder = "/data/atmosphere/temperature_anomaly"
monthly = pd.read_csv(f"{folder}/land_ocean_monthly.tsv", sep="\t", parse_dates=["date"])
carbon = pd.read_json(f"{folder}/carbon_and_anomaly_yearly.json").set_index("year")["carbon_emissions"]
yearly = monthly.groupby(monthly["date"].dt.year)["anomaly_celsius"].mean()
both = pd.concat([yearly, carbon], axis=1, join="inner").dropna()
emissions = both["carbon_emissions"] / 1000
slope, intercept = np.polyfit(emissions, both["anomaly_celsius"], 1)
r_squared = np.corrcoef(emissions, both["anomaly_celsius"])[0, 1] ** 2
print(f"{slope:.4f}; {r_squared:.4f}; {len(both)}")
