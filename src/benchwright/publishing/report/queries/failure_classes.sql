-- Attempts at tasks that the suite itself leaves without a verdict have no shares.
with counts as (select count(*) filter (counted) as n, count(*) filter (failed) as failures
  from 'runs/failures.parquet' where mode = '$mode')
select failure as class, count(*) as attempts, count(*) filter (basis = 'estimate') as estimated,
  if(failure = 'suite', null, count(*) / nullif(any_value(failures), 0)) as share,
  if(failure = 'suite', null, count(*) / nullif(any_value(n), 0)) as of_attempts
from 'runs/failures.parquet', counts where mode = '$mode' and failure <> '' group by failure;
