import pandas as pd

athletes = pd.read_csv("/data/athletes/australian_institute_of_sport.csv")
print(f"{athletes['percent_body_fat'].mean():.3f}")
