-- A class that an agent has not is 0 in the report, and no row here.
select run, cell, failure as class, count(*) as attempts
from 'runs/failures.parquet' where mode = '$mode' and failure <> '' group by all;
