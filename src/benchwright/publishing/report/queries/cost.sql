-- Means of steps and finish rates are over attempts that were carried through: not those that the model or sandbox broke.
with attempts as (
  select *, not (ending = 'broke' and "which" in ('model', 'sandbox')) as done from 'runs/attempts.parquet'
), verdicts as (
  select run, cell, task_id, coalesce(value, 0) as value, bool_and(value is null and split_part(reason, ':', 1) = 'suite')
    over (partition by run, cell, task_id) as left_out
  from 'runs/scores.parquet' where name = '$mode'
), right_answers as (
  select run, cell, sum(value) as value from verdicts where not left_out group by all
), times as (
  select run, cell, median(wall_seconds) as median_seconds
  from attempts semi join (from verdicts where not left_out) using (run, cell, task_id) group by all
)
select run, cell,
  avg(steps) filter (done) as mean_steps,
  sum(successful_steps) filter (done) / sum(steps) filter (done and successful_steps is not null) as successful_steps,
  avg((ending = 'answered')::int) filter (done) as finish_rate,
  any_value(median_seconds) as median_seconds,
  if(sum(uncounted_calls) filter (done) = 0, sum(input_tokens), null) as input_tokens,
  if(sum(uncounted_calls) filter (done) = 0, sum(cache_write_tokens), null) as cache_write_tokens,
  if(sum(uncounted_calls) filter (done) = 0, sum(cache_read_tokens), null) as cache_read_tokens,
  if(sum(uncounted_calls) filter (done) = 0, sum(output_tokens), null) as output_tokens,
  if(sum(uncounted_calls) filter (done) = 0, sum(reasoning_tokens), null) as reasoning_tokens,
  if(count(cost_usd) = count(*), sum(cost_usd), null) as cost_usd,
  if(count(cost_usd) = count(*), sum(cost_usd), null) / nullif(any_value(right_answers.value), 0) as usd_per_right
from attempts left join right_answers using (run, cell) left join times using (run, cell) group by run, cell;
