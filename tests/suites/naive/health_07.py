import pandas as pd

patients = pd.read_csv("/data/trials/cirrhosis/mayo_pbc.csv", na_values=".")
died = patients[patients["treatment"].notna() & (patients["status"] == 2)]
print(f"{died['bilirubin'].median():.2f}; {died['age_days'].mean():.2f}")
