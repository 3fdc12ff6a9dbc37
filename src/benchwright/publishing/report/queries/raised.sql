-- The same cell, task and epoch in two runs: before, and with raised limits.
with verdicts as (
  select run, cell, task_id, epoch, coalesce(value, 0) as value from 'runs/scores.parquet'
  where name = '$mode' and not (value is null and split_part(reason, ':', 1) = 'suite')
), endings as (select run, cell, task_id, epoch, ending from 'runs/attempts.parquet')
select two.run as run, cell, one.run as before_run, count(*) as pairs, avg(one.value) as mean_before,
  avg(two.value) as mean_after, avg(two.value - one.value) as difference,
  count(*) filter (two.value > one.value) as better, count(*) filter (two.value < one.value) as worse,
  count(*) filter (ending = 'limit') as still_limited
from verdicts as one join verdicts as two using (cell, task_id, epoch)
  left join endings on endings.run = two.run and endings.cell = two.cell and endings.task_id = two.task_id
    and endings.epoch = two.epoch
where one.run <> two.run group by all;
