import pandas as pd

cars = pd.read_csv("/data/vehicles/road_tests/motor_trend.csv")
print(f"{cars['quarter_mile_time'].mean():.3f}")
