-- sd has no value where there is but one temperature.
select model, approach, variant, sum(n)::bigint as n, sum("right")::bigint as "right", sum("right") / sum(n) as accuracy,
  if(count(*) > 1, stddev_pop(accuracy), null) as sd, max(accuracy) as highest, min(accuracy) as lowest
from 'dsbc_temperatures.parquet' group by all;
