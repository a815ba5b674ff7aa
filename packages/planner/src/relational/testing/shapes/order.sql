-- in order
select a,x from t order by a nulls first, x desc limit 5 offset 3;
-- in order
select x, a from t order by a desc nulls last, x;
-- in order
select x from t order by x limit 10%;
select ('x'||b)::varchar collate nocase c from t order by c;
select a from t order by all;
