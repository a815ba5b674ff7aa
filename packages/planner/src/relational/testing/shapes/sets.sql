select a from t union select a from u;
select a from t union all select y from u;
select a from t intersect select a from u;
select a from t intersect all select a from u;
select a from t except select a from u;
select a from t except all select a from u;
select a,b from t union by name select b,a,y from u;
(select a from t order by a limit 3) union all (select y from u order by y desc limit 2);
