import pandas as pd

aptitude = pd.read_json("/data/personality/school_aptitude.json")
print(f"{aptitude['sat_quantitative'].mean():.2f}")
