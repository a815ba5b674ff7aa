-- Statements that fail as in PostgreSQL, with the same SQLSTATE, one per line. They change nothing.
select sqrt(-1)
select sqrt(x) from (values (-1.0)) v(x)
select |/ -1.0
select ln(0)
select ln(-1)
select log(0)
select log(-1)
select log(2, 0)
select log(2, -1)
select log(-2, 4)
select log10(0)
select ln(0::numeric)
select acos(2)
select asin(-2)
select atanh(2)
select '2023-02-29'::date
select '2023-13-01'::date
select date '2023-02-30'
select '2023-02-29'::timestamp
select '2023-02-29 10:00'::timestamptz
select '2023-01-01 25:00'::timestamp
select '25:00'::time
select '10:61'::time
select '2023-00-01'::date
select 'x'::date
select ''::date
select '2023-02'::date
select make_date(2023, 2, 29)
select make_time(25, 0, 0)
select make_timestamp(2023, 2, 30, 0, 0, 0)
select s::date from (values ('2023-02-29')) v(s)
select to_date('2023-02-30', 'YYYY-MM-DD')
select to_date('x', 'YYYY-MM-DD')
select to_timestamp('2023-13-01', 'YYYY-MM-DD')
select date '2023-01-01' + 2147483647
select timestamp '2023-01-01' + interval '300000 years'
select 'x'::interval
select 2147483647 + 1
select 32767::smallint + 1::smallint
select 9223372036854775807 + 1
select 9223372036854775807 * 2
select abs((-2147483648)::int)
select 99999999999::int
select 40000::smallint
select 1e20::bigint
select 1e10::int
select 1e400::float8
select '1e400'::float8
select 'NaN'::float8::int
select 'infinity'::float8::bigint
select 123456::numeric(5,2)
select 1000::numeric(3,0)
select 12345.678::numeric(5,2)
select '12345.678'::numeric(5,2)
select t.x::numeric(5,2) from (values (12345.678::numeric(10,3))) t(x)
select t.s::numeric(5,2) from (values ('12345.678')) t(s)
update emp set salary = row_number() over ()
update emp set salary = (1 + rank() over (order by id)) * 2
select factorial(-1)
select factorial(100000)
select 1/0
select 1%0
select 1.0/0
select mod(1,0)
select div(1,0)
select 1/0.0
select id from emp where row_number() over () = 1
select id from emp where sum(id) > 1
select id from emp where count(*) > 1
select id from emp group by id having row_number() over () = 1
select id from emp group by row_number() over ()
select count(*) from emp group by count(*)
select sum(count(*)) from emp
select sum(row_number() over ()) from emp
select row_number() over (order by row_number() over ()) from emp
select row_number() over (partition by rank() over ()) from emp
select id from emp limit row_number() over ()
select id from emp limit count(*)
select id from emp e join dept d on count(*) = 1
select id from emp e join dept d on row_number() over () = 1
select e.id from emp e join dept d on row_number() over () = 1
select e.id from emp e join dept d on sum(e.id) = 1
insert into dept values (count(*), 'a', 1)
insert into dept values (row_number() over (), 'a', 1)
update dept set id = sum(id)
delete from dept where sum(id) > 1
delete from dept where row_number() over () = 1
update dept set name = 'x' where count(*) > 1
insert into dept values (1, 'a', 1) returning count(*)
select * from generate_series(1, count(*))
select id, count(*) from emp
select id, name from emp group by id
select name from emp having id > 1
select count(*) from emp order by name
select id from emp group by id order by name
select distinct on (dept) dept, name from emp order by name
select distinct on (dept) dept, name from emp order by name, dept
select distinct on (dept, active) dept, name from emp order by dept, name, active
select distinct on (2) id, dept from emp order by id
select distinct on (3) id, dept from emp
select distinct on (dept + 1) dept, id from emp order by dept, id
select distinct on (lower(name)) name from emp order by name
select distinct on (name) * from emp order by id
select distinct on (a) a, b from (select dept as a, id as b from emp) q order by b
select distinct name from emp order by id
select distinct id + 1 from emp order by id
select distinct id from emp order by random()
select distinct dept from emp order by count(*)
select distinct dept from emp group by dept order by count(*)
select id from emp order by 2
select id from emp order by 0
select id from emp order by -1
select id from emp order by 'x'
select id from emp group by 2
select id from emp group by 0
select id from emp union select id from dept order by 2
select id from emp union select id from dept order by id + 1
select id from emp union select id from dept order by name
select sum(id) from emp order by 2
select count(*) as n from emp group by 1
select count(*) from emp group by n
select emp.* from emp group by 1
select nope from emp
select e.nope from emp e
select x.id from emp
select emp.id from emp e
select id from emp, dept
select id from emp e join dept d on e.dept = d.id
select * from nope
select nope(1)
select lower(1, 2)
select length()
select substr('abc')
select lower(1)
select 1 + 'x'
select 'a' + 'b'
select true + 1
select name + 1 from emp
select id = 'x' from emp
select hired > 5 from emp
select active > 'x' from emp
select id like 'x' from emp
select name between 1 and 2 from emp
select id in ('a') from emp
select case id when 'a' then 1 end from emp
select case when active then id else name end from emp
select coalesce(id, name) from emp
select greatest(id, name) from emp
select array[1, 'a']
select array[id, name] from emp
select 1 union select 'a'
select id, name from emp union select id from emp
select 1, 2 intersect select 1
values (1, 2), (3)
values (1), ('a')
values (id)
select (select id, name from emp)
select (select id from emp)
select id in (select id, name from emp) from emp
select (1, 2) = (1, 2, 3)
select (1, 2) in (select 1)
select id from emp where id = (select id from emp)
select 1 from emp where exists select 1
insert into dept values (1, 2, 3, 4)
insert into dept (id) values (1, 2)
insert into dept (id, name) values (1)
insert into dept (id, id) values (1, 1)
insert into dept (nope) values (1)
insert into dept select 1, 2, 3, 4
insert into nope values (1)
insert into emp (id) values (null)
insert into emp (name) values ('x')
insert into emp (id) values ('x')
insert into dept values (1, 'a', 'x')
insert into dept values (99999999999, 'a', 1)
insert into emp (id, salary) values (1, 1e10)
insert into emp (id, hired) values (1, '2023-02-29')
update dept set nope = 1
update dept set id = 'x'
update dept set id = 1, id = 2
update nope set id = 1
update emp set id = null
delete from nope
delete from dept where nope = 1
truncate nope
drop table nope
drop view nope
drop view emp
drop table nope.nope
drop schema nope
create table emp (id int)
create table t1 (a int, a int)
create table t1 (a nope)
create table t1 (a numeric(2000))
create table t1 (id int default 'x')
create table nope.t1 (id int)
create view v1 as select nope
create view v1 (a, b) as select 1
create view emp as select 1
alter table nope add column a int
alter table emp add column id int
alter table emp drop column nope
alter table emp rename column nope to x
alter table emp rename column id to name
alter table emp rename to dept
alter table emp alter column id type nope
select 'abc'::int
select '12.5'::int
select ''::float8
select 'abc'::numeric
select 'maybe'::bool
select 'x'::uuid
select '{'::json
select '{"a":}'::jsonb
select '{1,x}'::int[]
select '{1,2'::int[]
select '1,2'::int[]
select true::date
select 1::date
select now()::int
select id::date from emp
select name::int from emp
select hired::int from emp
select array[1,2]::int
select 1::int[]
select 1::nope
select cast(1 as)
select 1::varchar(-1)
select 1::numeric(0)
select "abc
select 'abc
select 1 +
select (1
select 1)
selec 1
select * form emp
select * from emp where
select * from emp order
select from where
select 1,,2
select * from emp limit -1
select * from emp offset -1
select * from emp limit 'x'
select * from emp limit 1 limit 2
select * from emp fetch first -1 rows only
select * from emp e, dept e
select * from emp, emp
select * from emp join dept
select * from emp join dept using (nope)
select * from emp join dept on nope = 1
select * from emp join dept on id = 1
select * from emp natural join nope
with a as (select 1), a as (select 2) select * from a
with a as (select 1) select * from b
with recursive a as (select 1 union all select nope from a) select * from a
select * from (select 1) q where q.x = 1
select * from (values (1, 2)) v(a, b, c)
select sum(name) from emp
select avg(active) from emp
select count(distinct) from emp
select max() from emp
select array_agg() from emp
select percentile_cont(2) within group (order by id) from emp
select percentile_cont(0.5) from emp
select percentile_cont(0.5) within group (order by name) from emp
select mode() from emp
select lower(distinct name) from emp
select lower(name) filter (where true) from emp
select lower(name) over () from emp
select count(*) over w from emp
select row_number() from emp
select rank() from emp
select lag(id) from emp
select lag() over () from emp
select ntile(0) over () from emp
select ntile(-1) over (order by id) from emp
select nth_value(id, 0) over (order by id) from emp
select sum(id) over (rows between current row and 1 preceding) from emp
select sum(id) over (rows between unbounded following and current row) from emp
select sum(id) over (rows between 1 following and current row) from emp
select sum(id) over (rows -1 preceding) from emp
select sum(id) over (range 1 preceding) from emp
select sum(id) over (order by id, dept range 1 preceding) from emp
select sum(id) over (rows 'x' preceding) from emp
select sum(id) over (w rows 1 preceding) from emp window w as (rows 2 preceding)
select sum(id) over (w order by id) from emp window w as (order by id)
select count(*) from emp window w as (), w as ()
select sum(id) filter (where sum(id) > 1) from emp
select sum(id order by nope) from emp
select 'a' ~ '('
select 'a' ~ '['
select 'a' ~ '*'
select regexp_replace('a', '(', 'b')
select 'a' like 'b' escape 'xx'
select 'a' similar to '('
select encode('a', 'nope')
select decode('zz', 'hex')
select decode('a', 'base64')
select chr(-1)
select split_part('a', 'b', 0)
select substring('abc', 1, -1)
select substr('abc', 1, -1)
select left('abc', 'x')
select overlay('abc' placing 'x' from 0)
select to_number('abc', '999')
select date_trunc('nope', now())
select extract(nope from now())
select extract(year from 'x')
select date_part('nope', now())
select now() at time zone 'Mars'
select age('x')
select date_bin('0 days', now(), now())
select * from generate_series(1, 10, 0)
select * from generate_series(timestamp '2024-01-01', timestamp '2024-01-02', interval '0')
select unnest(1)
select array_length(1, 1)
select (array[1])['x']
select 1 = any(1)
select 1 = any(array['a'])
select json_build_object('a')
select json_build_object(null, 1)
select jsonb_set('{}', 'x', '1')
select jsonb_array_length('{}')
select jsonb_object_keys('[]')
select '{"a":1}'::jsonb -> 'a' + 1
select ('{"a":1}'::jsonb ->> 'a') + 1
select '"a"'::jsonb::int
select nextval('nope')
select currval('nope')
select setval('nope', 1)
select 'nope'::regclass
select 'nope'::regtype
set nope = 1
set timezone = 'Mars'
set statement_timeout = 'x'
show nope
reset nope
select set_config('nope', 'x', false)
select 1 as from emp
select interval '1 day' + 1
select date '2024-01-01' * 2
select date '2024-01-01' + date '2024-01-01'
select now() + 1
select -'x'
select - name from emp
select @ name from emp
select !1
select 1 <=> 2
select 'a' && 'b'
select (emp).nope from emp
select * from lower('a', 'b')
select * from nope(1)
select * from unnest(1)
merge into dept using nope on true when matched then delete
merge into nope using dept on true when matched then delete
merge into dept d using emp e on true when matched then update set nope = 1
insert into dept values (default, default, default, default)
select * from emp where id in ()
select row(1, 2) + 1
select (select 1, 2)
select array(select 1, 2)
select 1 in (select 1, 2)
select 1 = all (select 1, 2)
select 1a
select 0x
select U&'\00zz'
select id from emp group by grouping sets (nope)
select * from emp where current of c
select lower(name => 'x', nope => 1)
select make_interval(nope => 1)
select '{"a": 1,}'::json
select grouping(id) from emp
select grouping(name) from emp group by id
select default
select 'a' collate nope
select 1 collate "C"
select * from (with d as (delete from emp returning id) select * from d) q
with recursive r(a) as (select 1 union all select sum(a) from r) select * from r
with recursive r(a) as (select 1 union all select count(*) from r) select * from r
with recursive r(a) as (select 1 union all select coalesce(max(a), 0) + 1 from r where a < 5) select * from r
select e'\u00zz'
select e'a\U0001f60'
select public.nofunc(1)
select public.abs(1)
select sum(row_number() over ()) over ()
select 'a' like '\'
select t like 'a\' from (values ('ab')) v(t)
select '\8'::bytea
select unnest()
select unnest(array[1], array[2])
select row_to_json(1)
select log(1, 5)
select date_bin('0 days', timestamp '2024-01-01', timestamp '2024-01-01')
select date_bin('-1 day', timestamp '2024-01-01', timestamp '2024-01-01')
select timestamp 'infinity' - timestamp '2024-01-01'
select interval '1 day' * 1e300
select to_timestamp(1e300)
select repeat('a', 2000000000)
select lpad('a', 2000000000)
select convert_from('\xff', 'UTF8')
select convert_from('a', 'nope')
select has_schema_privilege('nope', 'usage')
select 'nope'::regproc
select 'nope'::regrole
select 'nope'::regnamespace
create schema public
create table z1 (a int check (a))
create table z1 (a int default (select 1))
create table z1 (a int check ((select 1) > 1))
create table z1 (a int primary key, b int primary key)
create table z1 as select 1 as a, 2 as a
create table z1 (a, b, c) as select 1, 2
select $1
select x::bytea from (values ('a\b')) t(x)
select 'a\b'::bytea
select decode('a\b', 'escape')
select * from nosuch.t
insert into nosuch.t values (1)
update nosuch.t set a = 1
delete from nosuch.t
select * from nosuch.t a join nosuch.u b using (id)
copy nosuch.t from stdin
copy nosuch.t (a, b) from stdin
insert into nosuch.t select 1
truncate nosuch.t
with recursive r(n) as (select 1 union all select a.n from r a, r b) select * from r
with recursive r(n) as (select 1 union all select n + 1 from r where n in (select n from r)) select * from r
with recursive r(n) as (select 1 union all select n + 1 from r where exists (select 1 from r) and n < 3) select * from r
with recursive r(n) as (select 1 union all select e.id from emp e left join r on r.n = e.id) select * from r limit 3
with recursive r(n) as (select 1 union all select e.id from r right join emp e on r.n = e.id) select * from r limit 3
with recursive r(n) as (select 1 union all select e.id from emp e full join r on r.n = e.id) select * from r limit 3
with recursive r(n) as (select 1 intersect select n from r) select * from r
with recursive r(n) as (select 1 except select n from r) select * from r
with recursive r as (select * from r) select * from r
with recursive r as (select 1 as n from (select * from r) q) select * from r
with recursive r(n) as (select 1 union all (select n + 1 from r where n < 3 except all select 2)) select * from r
with recursive r(n) as (select 1 union all (select 2 except select n from r)) select * from r
with recursive r(n) as (select 1 union all (select n + 1 from r where n < 3 intersect all select 2)) select * from r
with recursive r(n) as (select n from r union all select 1) select * from r
with recursive r(n) as (select 1 where 1 in (select n from r) union all select 2) select * from r
with recursive r(n) as (select 1 union all select n + 1 from r where n < 3 union all select n + 10 from r where n < 3) select * from r
with recursive r(n) as (select 1 union all (select n + 1 from r where n < 3 union all select n + 10 from r where n < 3)) select * from r
with recursive r(n) as (with q as (select n from r) select 1 union all select n + 1 from q where n < 3) select * from r
with recursive r(n) as (select 1 union all select n + 1 from r where n < 3 order by 1) select * from r
with recursive r(n) as (select 1 union all select n + 1 from r where n < 3 limit 2) select * from r
with recursive r(n) as (select 1 union all select n + 1 from r where n < 3 offset 1) select * from r
with recursive r(n) as (select 1 union all select max(n) from r group by n) select * from r limit 5
with recursive r(n) as (select 1 union all select n + 1 from r group by n having count(*) > 3) select * from r limit 5
with recursive r(n) as (select 1 union all select q.m + 1 from (select max(n) as m from r) q where q.m < 3) select * from r limit 5
with recursive r(n) as (select 1 union all select array_agg(n) from r) select * from r limit 2
select count(*) from emp group by false
select count(*) from emp group by 'a'
select count(*) from emp group by ('a')
select count(*) from emp group by e'a'
select count(*) from emp group by null
select count(*) from emp group by null, dept
select count(*) from emp group by -1.5
select count(*) from emp group by 3000000000
select dept from emp group by rollup (true, dept)
select dept from emp group by grouping sets ((dept, 'a'), (dept))
select distinct on ('a') id from emp
select distinct on (null) id from emp
select id from emp order by false
select id from emp order by 1.5
select id from emp order by null
select id from emp union select 2 order by 'a'
select * from unfilled where i = 'abc'
select * from unfilled where i = '1.5'
select id from emp where id = '1.5'
select id from emp where id in ('1', '2.0')
select * from unfilled where i = '99999999999'
select * from unfilled where b > 'abc'
select * from unfilled where n = 'abc'
select * from unfilled where f < 'abc'
select * from unfilled where d = 'abc'
select * from unfilled where d = '2024-02-30'
select * from unfilled where d between '2024-01-01' and 'abc'
select * from unfilled where d in ('2024-01-01', 'abc')
select * from unfilled where ts = 'abc'
select * from unfilled where tz = 'abc'
select * from unfilled where bo = 'maybe'
select * from unfilled where bo is distinct from 'maybe'
select * from unfilled where 'abc' = i
select * from unfilled where i + 1 = 'abc'
select * from unfilled where x = 'a' or i = 'abc'
select i = 'abc' from unfilled
select case i when 'abc' then 1 end from unfilled
select case when i > 1 then i else 'abc' end from unfilled
select coalesce(i, 'abc'), greatest(i, 'abc'), nullif(i, 'abc') from unfilled
select coalesce(d, 'abc') from unfilled
select count(*) from unfilled group by i having i = 'abc'
select * from unfilled a join unfilled b on a.i = b.i and a.d > 'abc'
select * from emp where exists (select 1 from unfilled u where u.i = 'abc')
with q as (select d from unfilled) select * from q where d = 'abc'
select count(*) filter (where i = 'abc') from unfilled
select 'abc'::int from unfilled
select 'abc'::date from unfilled
select case when false then '1.5'::int end
update unfilled set i = 'abc'
update unfilled set i = 1 where i = 'abc'
delete from unfilled where d = 'abc'
select * from unfilled where (i, d) = ('abc', '2024-01-01')
with recursive t(n) as (select 1 union all select n + 1.5 from t where n < 5) select * from t
with recursive t(n) as (select 1 union all select n / 2.0 from t where n > 0.3) select * from t
with recursive t(d) as (select date '2024-01-01' union all select d + interval '1 day' from t where d < '2024-01-03') select * from t
with a as (select 1 as x), t as (with recursive r(n) as (select x from a union all select n + 0.5 from r where n < 3) select * from r) select * from t
select get_byte('abc'::bytea, 3)
select get_byte('abc'::bytea, -1)
select set_byte('abc'::bytea, 3, 1)
select format('%I', null)
select format('%s %s', 'a')
select format('%x', 'a')
select format('%')
select sind('infinity')
select acosd(2)
select asind(-1.5)
select '"\u0000"'::jsonb
select coalesce('[1]'::jsonb, '{bad')
select chr(1114112)
select chr(-1)
select '1e-400'::float8
select '-1e-46'::real
select 'abc' similar to 'a%' escape '##'
select 'abc' similar to p escape '##' from (values ('a%')) t(p)
select regexp_replace('abc', 'a', 'X', 0)
select regexp_replace('abc', 'a', 'X', 1, -1)
select has_table_privilege('pg_class', 'FOO')
select has_table_privilege('pg_class', 'SELECT, FOO')
select has_schema_privilege('public', 'FOO')
select has_function_privilege('abs(int)', 'FOO')
select has_any_column_privilege('pg_class', 'DELETE')
select s::float8 from (values ('1e400')) t(s)
select s::float8 from (values ('-1e-400')) t(s)
select s::real from (values ('1e50')) t(s)
select s::real from (values ('1e-50')) t(s)
select string_to_array('1,1e400', ',')::float8[]
select 1 from (select 1.5::float8 as f) q where f > '1e400'
select n as z from (values (1)) v(n) where z = 1
select n as z, count(*) from (values (1)) v(n) group by n having z = 1
select * from (select n as z from (values (1)) v(n) where z = 1) q
select 1 from (select 1 as a) x join (select 1 as "A") y using (a)
select has_column_privilege('pg_class', 'nope', 'SELECT')
select has_column_privilege('nope', 'nope', 'SELECT')
select x'1FFFFFFFF'::int
select t::integer[] from (values ('1,2')) v(t)
select t::integer[] from (values ('{1,2')) v(t)
select t::integer[] from (values ('{1,x}')) v(t)
select json_object('{a,1,b}')
select json_object(array[null,'a'])
select json_object('{a}', '{1,2}')
select overlay('\x0102'::bytea placing '\xff'::bytea from 0)
select * from generate_series(1, 2, 0.0)
