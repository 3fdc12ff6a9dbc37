-- Over attempts at tasks with a verdict; an ending that an agent has not is 0 in the report and no row here.
select run, cell, ending || if("which" = '', '', ':' || "which") as ending, count(*) as attempts
from 'runs/attempts.parquet' semi join (
  select run, cell, task_id from 'runs/scores.parquet' where name = '$mode' group by all
  having not bool_and(value is null and split_part(reason, ':', 1) = 'suite')
) using (run, cell, task_id) group by all;
