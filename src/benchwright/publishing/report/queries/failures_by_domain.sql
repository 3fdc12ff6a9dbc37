-- A class that a domain has not is 0 in the report, and no row here.
select domain, failure as class, count(*) as attempts
from 'runs/failures.parquet' where mode = '$mode' and failure <> '' and domain <> '' group by all;
