select sum(attempts) as attempts, sum(unscored) as unscored, sum(broken) as broken,
  (select if(count(cost_usd) = count(*), sum(cost_usd), null) from 'cost.parquet') as cost_usd
from 'accuracy.parquet';
