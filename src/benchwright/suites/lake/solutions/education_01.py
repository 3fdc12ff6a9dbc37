import pandas as pd

colleges = pd.read_csv("/data/universities/colleges_1995.csv", encoding="latin-1")
print(f"{colleges['room_and_board'].mean():.2f}")
