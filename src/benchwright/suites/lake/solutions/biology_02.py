import pandas as pd

wines = pd.read_csv("/data/plants/wine_chemistry.csv")
print(f"{wines['proline'].mean():.2f}")
