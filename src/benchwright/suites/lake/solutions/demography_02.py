import pandas as pd

counties = pd.read_csv("/data/usa/counties_midwest.csv")
print(counties["total_population"].max())
