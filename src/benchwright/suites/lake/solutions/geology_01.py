import pandas as pd

planets = pd.read_parquet("/data/stars/exoplanets_catalogue.parquet")
print(f"{planets['eccentricity'].max():.3f}")
