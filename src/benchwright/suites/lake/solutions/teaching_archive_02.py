import pandas as pd

walks = pd.read_csv("/data/introductory/stat2_data/pedometer.tsv", sep="\t")
print(f"{walks['Steps'].mean():.2f}")
