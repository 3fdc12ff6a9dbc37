import pandas as pd

mixtures = pd.read_csv("/data/materials/concrete_strength.csv")
print(f"{mixtures['compressive_strength'].mean():.3f}")
