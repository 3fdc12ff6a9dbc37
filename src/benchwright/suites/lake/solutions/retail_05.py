import pandas as pd

bookings = pd.read_csv("/data/hotels/resort_bookings.csv.gz", sep="|").drop_duplicates("booking_id")
august = bookings[bookings["arrival_date"].str.startswith("2016-08")]
print(f"{len(august)}; {august['avg_price_per_room'].mean():.3f}")
