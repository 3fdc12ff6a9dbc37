import pandas as pd

possums = pd.read_csv("/data/animals/possums_australia.csv")
print(f"{possums['head_length'].mean():.3f}")
