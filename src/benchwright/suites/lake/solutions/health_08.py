import pandas as pd

tumours = pd.read_csv("/data/imaging/breast_tumours_wisconsin.csv")
print(f"{tumours['mean area'].max():.1f}")
