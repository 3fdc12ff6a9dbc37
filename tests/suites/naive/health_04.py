import pandas as pd

tests = pd.read_json("/data/registers/covid_tests_childrens_hospital.jsonl.gz", lines=True)
positive = (tests["result"] == "positive").sum()
valid = tests["result"].isin(["positive", "negative"]).sum()
print(f"{positive}; {positive / valid * 100:.2f}%")
