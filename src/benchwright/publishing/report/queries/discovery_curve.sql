-- An attempt that has ended keeps its last value; precision is over attempts that have opened anything.
with ends as (
  select run, cell, basis, task_id, epoch, max(step) as final_step from 'runs/search.parquet' group by all
), moments as (
  select run, cell, basis, unnest(range(1, least(50, max(final_step)) + 1)) as moment from ends group by run, cell, basis
)
select run, cell, basis, moment as step, avg(search.recall) as recall, avg(search."precision") as "precision"
from ends join moments using (run, cell, basis)
  join 'runs/search.parquet' as search using (run, cell, basis, task_id, epoch)
where search.step = least(moment, final_step) group by all;
