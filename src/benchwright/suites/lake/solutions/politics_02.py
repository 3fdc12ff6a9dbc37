import pandas as pd

panel = pd.read_csv("/data/crime/gun_laws_panel.csv")
print(f"{panel['violent'].mean():.3f}")
