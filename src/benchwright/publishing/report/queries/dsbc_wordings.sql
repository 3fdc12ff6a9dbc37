-- Pairs are one question, temperature and epoch in both wordings, both with a verdict.
with told as (
  select model, approach, temperature, variant, task_id, epoch, (value = 1)::int as good
  from 'runs/scores.parquet' join (select run, cell, model, approach, temperature, variant from 'dsbc_temperatures.parquet')
    using (run, cell)
  where name = '$mode' and value is not null
)
select model, approach, count(*) as pairs, count(*) filter (one.good > two.good) as only_raw,
  count(*) filter (one.good < two.good) as only_clean, avg(one.good - two.good) as difference
from told as one join told as two using (model, approach, temperature, task_id, epoch)
where one.variant = 'raw' and two.variant = 'clean' group by all;
