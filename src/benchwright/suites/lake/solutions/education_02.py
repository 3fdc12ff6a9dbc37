import pandas as pd

pupils = pd.read_csv("/data/schools/tennessee/kindergarten_star.csv.gz")
print(f"{pupils['reading_score'].mean():.3f}")
