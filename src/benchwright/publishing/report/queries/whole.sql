select sum(planned) as planned, sum(attempts) as attempts, sum(planned - attempts) as not_made, sum(unscored) as unscored, sum(broken) as broken,
  (select if(count(total_usd) = count(*), sum(total_usd), null) from 'cost.parquet') as total_usd
from 'accuracy.parquet';
