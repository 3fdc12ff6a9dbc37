select task_id, count(*) as n, count(*) filter (value = 1) as "right", count(*) filter (value = 1) / count(*) as rate
from (from 'runs/scores.parquet' where name = '$mode' and not (value is null and split_part(reason, ':', 1) = 'suite'))
group by all;
