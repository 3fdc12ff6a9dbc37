import pandas as pd

records = pd.read_csv("/data/atmosphere/pollution/durham_pm25_2011.csv")
print(f"{records['daily_mean_pm2_5_concentration'].mean():.3f}; {len(records)}")
