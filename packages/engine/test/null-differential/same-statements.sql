-- Statements whose rows, names and types of columns, and errors are those of PostgreSQL, one per line.
drop table if exists emp
drop table if exists dept
drop table if exists ev
drop table if exists docs
create table emp (id int not null, name text, dept int, salary numeric(10,2), hired date, active boolean, tags text[], score double precision)
create table dept (id int, name text, budget bigint)
create table ev (id int, at timestamp, atz timestamptz, n bigint, r real)
create table docs (id int, j json, jb jsonb, t text)
drop table if exists unfilled
create table unfilled (i int, b bigint, n numeric(10,2), f float8, d date, ts timestamp, tz timestamptz, bo boolean, x text)
insert into emp values (1,'Ada',1,5000.50,'2020-01-15',true,'{a,b}',1.5),(2,'Bob',1,4000,'2021-03-31',false,'{b}',2.25),(3,'Cid',2,4500.25,'2019-12-31',true,null,null),(4,'Dan',2,null,'2022-02-28',null,'{}',-3),(5,'Eve',null,6000,null,true,'{c,a,NULL}',0)
insert into dept values (1,'R&D',100000),(2,'Ops',50000),(3,'HR',null)
insert into ev values (1,'2024-02-29 23:59:59.123456','2024-02-29 23:59:59.123456+00',9007199254740993,1.1),(2,'2023-12-31 00:00:00','2023-12-31 12:00:00+02',-5,2.5),(3,null,null,null,null)
insert into docs values (1,'{"b":1,"a":[1,2]}','{"b":1,"a":[1,2]}','{"b": 1,  "a": 2}'),(2,'[1,"x",null]','[1,"x",null]','[1, 2]'),(3,null,null,null)
select count(*) from emp group by grouping sets ((), ())
select count(*), sum(id) from emp group by grouping sets ((), ()) having count(*) > 1
select 1 from emp group by grouping sets ((), ())
select count(*) from emp where false group by grouping sets ((), ())
select count(*) from emp group by grouping sets ((), (), ())
select e.id, (with a as (select id from emp where id >= e.id) select count(*) from dept where exists (select 1 from a where a.id = dept.id)) from emp e order by 1
select e.id, (with a as (select id from emp where id >= e.id) select count(*) from dept where (select count(*) from a where a.id <= dept.id) = 1) from emp e order by 1
select e.id, x.* from emp e, lateral (with a as (select id from emp where dept = e.dept) select c.id as c, (select count(*) from a where a.id <= c.id) as n from a c) x order by 1, 2
select d.name, (with recursive r(n) as (select length(d.name) union all select n + 1 from r where n < 6) select sum((select count(*) from r b where b.n < a.n)) from r a) from dept d order by 1
select d.name, (with recursive r(n) as (select length(d.name) union all select n + 1 from r where n < 6) select (select count(*) from (select * from r) q where n > length(d.name))) from dept d order by 1
select d.id, (with a(x, y) as materialized (select id, d.id from emp) select (select count(*) from a as b(p) where p > y)) from dept d order by 1
select '2024-01-01 x'::date
select '2024-01-01abc'::date
select '2024-02-29 +00'::date, '2024-02-29+00'::date, date '2024-02-29 -05:30', '2024-02-29 UTC'::date, '2024-02-29 10:00:00 +02'::date
select t.s::date from (values ('2024-01-01'), ('2024-01-02 10:00'), (' 2024-1-3 '), ('2024-01-04T10:00:00.5+02'), (null)) t(s)
select t.s::date from (values ('2024-01-01'), ('2024-01-01 x')) t(s)
select count(*) from emp where hired = '2020-01-15 x'
select count(*) from emp where hired between '2020-01-15' and '2020-01-16 10:00'
select date '0044-03-15 BC', '0044-03-15 10:00:00 BC'::timestamp, t.s::date from (values ('0044-03-15 BC')) t(s)
select '10:00:00 x'::time
select t.s::time from (values ('10:00:00'), ('10:00 x')) t(s)
select '2024-01-01 12:00:00 x y'::timestamp
select ('2024-01-0' || '1 x')::date
insert into ev (id, at) values (9, '2024-01-01 x')
insert into emp (id, hired) values (9, '2024-01-01 x')
insert into emp (id, hired) select 9, s::date from (values ('2024-01-01 x')) v(s)
insert into emp (id, hired) values (10, '0044-03-15 BC'), (11, '2024-01-01'), (12, '20240102') returning id, hired
insert into ev (id, at) values (10, '0044-03-15 BC'), (11, '0044-03-15 10:00 BC') returning id, at
delete from emp where id > 9
delete from ev where id > 9
update emp set hired = '2024-01-01 x' where id = 1
select count(*) from emp where hired in ('2024-01-01', '2020-01-15 x')
select coalesce(hired, '2024-01-01 x') from emp
select '2024-01-01 x'::text::date
select '2024-01-01'::text::date, 'infinity'::date, 'today'::date = current_date, '-infinity'::text::date
select array['2024-01-01 x']::date[]
select array['2024-01-01', null, 'Feb 29, 2024']::date[], array['5']::int[]
select array['5.0']::int[]
select string_to_array('1,2.5', ',')::int[]
select string_to_array('1,2,', ',', '')::int[], string_to_array('on,off', ',')::boolean[]
select array_agg(s)::date[] from (values ('2024-01-01'), ('2024-01-01 x')) t(s)
select array_agg(s)::date[] from (values ('2024-01-01'), ('2024-01-02 10:00')) t(s)
select date 'Jan 8 1999', date 'January 8, 1999', date '8 January 1999', date '08-Jan-1999', date '1999-Jan-08', date 'Jan-08-1999', date '1/8/1999', date '01/02/03', date '1-1-1', date 'Wed Jan 08 04:05:06 1999'
select timestamp '1999-01-08 04:05:06 PM', timestamp '1999-01-08 040506', timestamp '2024-01-01 23:59:60', timestamp '2024-01-01 00:00:00.9999999', timestamp '20240101T100000', timestamp '2024-01-01,10:00', timestamp '1999-01-08 04:05:06-8', timestamp 'epoch'
select timestamptz '2024-01-01 10:00:00 UTC+3', timestamptz '1999-01-08 04:05:06 PST', timestamptz '1999-01-08 04:05:06 America/New_York', timestamptz '2024-01-01 +05', timestamptz '1999-01-08T04:05:06.789z', timestamptz 'January 8, 99 BC'
select count(*) from emp where hired = 'Jan 15 2020'
select count(*) from emp where hired in ('15 January 2020', '12/31/2019')
select count(*) from ev where at > 'Feb 29 2024 11:00 pm'
select '1999-01-08 16:05 PM'::timestamp
select '99-01-01'::date
select '24-12-31'::timestamp
select '0000-01-01'::date
select '18/1/1999'::date
select date '2024-01-01' < '2024-01-01x'
select t.s::date from (values ('01/02/03')) t(s) where false
select t.s::timestamp from (values ('2024-01-01'), ('2024-01-02 10:00:00'), (' 2024-1-3 '), ('2024-01-04T10:00:00.5+02'), ('0044-03-15 10:00:00 BC'), (null)) t(s)
select t.s::timestamptz from (values ('2024-01-01'), ('2024-01-02 10:00:00'), ('2024-01-04T10:00:00.5+02'), ('2024-01-05 10:00 +05:30'), ('20240229'), (null)) t(s)
select t.s::timestamp from (values ('2024-01-01 10:00 x')) t(s)
select t.s::timestamptz from (values ('2024-01-01x')) t(s)
select (array[1,2,3])[1:2]::text, (array['a b','c'])[2:]::text, ('{1,2}'::int[])[1:1]::text
select 2 in (select unnest(null::int[])), 2 = any(null::int[]), 2 not in (select unnest(null::int[])), 3 <> all (null::int[]), 4 = any (select unnest(null::int[])), 5 <> all (select unnest(null::int[]))
select id, 'a' in (select unnest(tags)), 'a' = any(tags), 'z' <> all (select unnest(tags)) from emp order by id
select null::int[] || null::int[], null::int[] || array[1]
select id, tags || tags from emp order by id
select 1.005::float8::numeric(10,2), 2.675::float8::numeric(10,2), 0.1::real::numeric(5,3), (0.1::float8 + 0.2::float8)::numeric(20,10)
select x::numeric(38, 9), x::numeric(10, 2), x::numeric(38, 0), (-x)::numeric(20, 3) from (values (5.459205132740674e-05::float8), (12345678.9), (1234567.8912345678), (0.5), (2.5), (99999.995), (0.000000000123456)) t(x)
select x::numeric(20,3) from (values (1e15::float8), (123456789.1235), (-0.0005), (0.0005), (1e-10)) v(x)
insert into emp (id, hired) select 9, '2024-01-01 x'
insert into ev (id, at) select 9, '2024-01-01 10:00 x'
select ('{"a":"2024-01-01 x"}'::json->>'a')::date
select ('{"a":"5.0"}'::json->>'a')::int
select ('{"a":"2024-01-01"}'::json->>'a')::date, ('{"a":5}'::json->>'a')::int
create table amounts (n numeric(10,2))
insert into amounts select x from (values (1.005::float8), (2.675::float8)) v(x) returning n
drop table amounts
select count()
select count() from emp
select count() over () from emp
select 1,
select id, from emp
select id from emp group by id,
values (1,)
select array[1,]
select id from emp order by id,
select id, 'a' in (select unnest(tags) where id > 2), 'b' = any (select unnest(tags) limit 1), 'b' not in (select unnest(tags) offset 1) from emp order by id
select dept, count(*) from emp group by grouping sets ((dept), (dept)) order by 1, 2
select dept, count(*) from emp group by grouping sets ((dept), (), ()) order by 1, 2
select dept, count(*) from emp group by rollup(dept, dept) order by 1, 2
select dept, count(*) from emp group by cube(dept, dept) order by 1, 2
select dept, active, count(*) from emp group by rollup(dept), rollup(active) order by 1, 2, 3
select dept, active, count(*) from emp group by cube(dept), rollup(active) order by 1, 2, 3
select dept, count(*), grouping(dept) from emp group by grouping sets (dept, dept, ()) order by 1, 2, 3
select grouping(dept) from emp group by grouping sets ((dept), (), ()) order by 1
select max(id), min(name) from emp group by (), ()
select count(*) from emp group by ()
select count(*) from emp group by (), dept order by 1
select count(*) from emp where false group by dept
select count(*) from emp where false group by grouping sets ((), dept)
select count(*) from emp where false group by rollup(dept)
select count(*) from emp where false group by cube(dept, active)
select grouping(dept, active), dept, active, sum(id) from emp group by grouping sets (rollup(dept), cube(dept, active)) order by 1,2,3,4
select dept+1, count(*) from emp group by grouping sets ((dept+1), ()) order by 1,2
select distinct count(*) from emp group by grouping sets ((), ())
select count(*) from emp group by grouping sets ((), ()) order by 1 limit 1
select count(*) from (select 1 from emp group by grouping sets ((), ())) q
select 1e308::real
select '1e400'::float8
select '1e400'::real
select 'inf'::float8, '-Infinity'::float8, 'nan'::float8
select 1.0/0
select 1e0/0
select 1::float8/0::float8
select acos(2)
select div(7, 2)
select div(-7, 2), div(7.5, 2), div(7::numeric, 2)
select div(1, 0)
select 5 # 3
select |/ 25.0
select ||/ 27.0
select !! 5
select array_ndims(array[1,2])
select array_ndims(array[[1,2],[3,4]])
select array_dims(array[1,2])
select to_char(125, '999')
select to_char(125.8::real, '999D9')
select to_char(-125.8, '999D99S')
select to_char(1234567.891, '9,999,999.99')
select to_char(12, '0000')
select to_char(12, 'FM0000')
select to_char(0.5, 'FM990.00')
select to_char(485, 'RN')
select to_char(485, 'FMRN')
select to_char(1e10, '9.99EEEE')
select to_char(-12, '999PR')
select to_char(12, 'MI999'), to_char(-12, 'MI999'), to_char(12, 'SG999'), to_char(-12,'999MI')
select to_char(1, '9th'), to_char(2, '9TH'), to_char(482, '999th')
select to_char(12.45, '99V9')
select to_char(12, '9')
select to_char(null::int, '99')
select to_char(salary, 'FM999,990.00') from emp order by id
select to_char(hired, 'YYYY-MM-DD') from emp order by id
select to_char(at, 'Day, DD Mon YYYY HH12:MI:SS.US AM') from ev order by id
select to_char(date '2024-02-29', 'FMDay, FMDDth FMMonth YYYY Q WW IW IYYY J D ID DDD')
select to_char(timestamp '2024-02-29 03:04:05.678', 'MS US SSSS TZ OF')
select regexp_matches('foobarbequebaz', '(bar)(beque)')
select regexp_match('foobarbequebaz', '(bar)(beque)')
select row(1,2)::text
select (interval '2 months')::text, 'x' || interval '14 months'
select to_json(interval '2 months')
select unnest(array[1,2]), unnest(array['a','b'])
select * from unnest(array[1,2], array['a','b'])
select * from unnest(array[1,2], array['a','b']) as t(x, y)
select * from unnest(array[1,2], array['a','b','c']) with ordinality
select * from unnest(array[1,2], array['a','b']) t
select t from unnest(array[1,2]) t
select t.* from unnest(array[1,2], array[3,4]) t
create temp table bt (b boolean, i int)
insert into bt values (true, 1)
with q as (select jb from docs) select a.jb = b.jb from q a, q b where a.jb is not null and b.jb is not null order by 1
with q as (select '{"a":1,"b":2}'::jsonb x union all select '{"b":2,"a":1}'::jsonb) select distinct x from q
select jsonb_set(jb, array[t], '2') from docs where id = 1
select concat('a', null, 1, true, 1.5), concat_ws(',', 'a', null, 'b'), 'a' || 1, 1 || 'a', 'a' || true, 'a' || null
select quote_ident('a b'), quote_literal('a''b'), quote_nullable(null), quote_ident('abc')
select ascii('é'), chr(233), md5('a'), encode('abc', 'hex'), encode('abc'::bytea, 'base64'), decode('616263', 'hex'), to_hex(255)
select regexp_replace('hello', 'l', 'L'), regexp_replace('hello', 'l', 'L', 'g'), regexp_replace('Hello', 'h(.)', '\1\1', 'i'), regexp_replace('abc', '(a)(b)', '\2\1')
select regexp_split_to_table('a b c', ' ')
select string_to_array('a,b,,c', ','), string_to_array('a,b', null), string_to_array('', ','), string_to_array('a,b,c', ',', 'b'), array_to_string(array[1,null,3], ',', '*')
select starts_with('hello', 'he'), 'hello' ^@ 'he', 'abc' like 'a_c', 'a%c' like 'a\%c', 'abc' similar to '(a|b)%', 'abc' ~* 'B', 'abc' !~ 'b', 'abc' not ilike 'B%'
select 'abc' < 'abd', 'a' < 'B', 'a' collate "C" < 'B', greatest('a', 'B'), least('a', null, 'b')
select lpad('hello', 3), rpad('hello', 3), lpad('', 3, '-'), lpad('a', 4, '')
select to_number('1,234.56', '9,999.99'), to_number('-12', 'S99'), to_date('2024-02-29', 'YYYY-MM-DD'), to_timestamp('2024-02-29 12:34', 'YYYY-MM-DD HH24:MI')
select 'a' 'b'
select E'a\nb', 'a\nb', U&'\0061', $$dollar$$, $x$a$$b$x$
select encode(sha256('abc'::bytea), 'hex'), crc32('abc')
select string_agg(name, ',' order by name desc) from emp
select string_agg(distinct dept::text, ',' order by dept::text) from emp
select date_trunc('day', timestamptz '2024-02-29 12:34+00', 'America/New_York')
select date_bin('15 minutes', timestamp '2024-02-29 12:34:56', timestamp '2024-01-01')
select timestamptz '2024-02-29 12:00+00' at time zone 'Europe/Oslo', timestamp '2024-02-29 12:00' at time zone 'Europe/Oslo', timestamptz '2024-02-29 12:00:00+05:30'
select * from generate_series(timestamp '2024-01-01', timestamp '2024-03-01', interval '1 month') g
select d::date from generate_series('2024-01-30'::date, '2024-02-02'::date, '1 day') d
select generate_series(1, 10, 3), generate_series(3, 1, -1)
select (date '2024-01-01', date '2024-01-10') overlaps (date '2024-01-05', date '2024-02-01')
select to_char(timestamp '2024-02-29 13:05:06', 'HH:MI am'), to_char(timestamp '2024-02-29', 'YYYY"y"MM"m"'), to_char(timestamp '2024-02-29','Mon MON mon Dy DY dy'), to_char(timestamp '2024-12-30', 'IYYY-IW-ID')
select to_timestamp(1709164800), to_timestamp(1709164800.5)
select now() = current_timestamp, current_date = now()::date, clock_timestamp() >= now(), transaction_timestamp() = now(), localtime is not null, current_time is not null
select date '2024-01-01' = timestamp '2024-01-01 00:00', date '2024-01-01' < timestamptz '2024-01-01 00:00:01+00', date '2024-01-01' between '2023-12-31' and '2024-01-01'
select extract(foo from date '2024-01-01')
select date_trunc('foo', now())
select array[1,2,3], array[1,2]||3, 0||array[1], array[1]||array[2,3], array_append(array[1],2), array_prepend(0,array[1]), array_cat(array[1],array[2])
select array[1,2] @> array[1], array[1] <@ array[1,2], array[1,2] && array[2,3], 1 = any(array[1,2]), 1 <> all(array[2,3]), array[1,2] = array[1,2], array[1,2] < array[1,3]
select array(select id from emp order by id), array_agg(id order by id desc) from emp
select array_agg(dept) from emp where false
select unnest(tags) from emp order by 1
select id, t from emp, unnest(tags) t order by 1, 2
select id, t, n from emp left join lateral unnest(tags) with ordinality as u(t, n) on true order by 1, 3
select array[1.5,2]::int[], array['1','2']::int[], array[1,2]::text, array[true,false]::text, array['a"b','c,d',null,'']::text
select tags[1], tags[1:1], tags from emp order by id
select array_agg(array[id]) from emp
select array[1,2] is null, array[1] || null::int, array[1] || null::int[]
select string_to_array('1,2',',')::int[]
select unnest('{1,2}'::int[]) as x, 'k' as y
select max(tags), min(tags) from emp
select array_agg(distinct active order by active) from emp
select '{"a":1}'::json, '{"a":1}'::jsonb, '[1,2]'::json->0, '{"a":{"b":2}}'::json#>>'{a,b}', '{"a":1}'::jsonb->>'a'
select json_build_object('a',1,'b',array[1,2]), json_build_array(1,'a',null), to_json('a'::text), row_to_json(e) from (select 1 as x, 'y' as z) e
select json_agg(name order by id), json_object_agg(id, name) from emp
select jsonb_agg(e order by id) from (select id, name from emp) e
select json_array_length('[1,2]'), jsonb_array_length('[]'), json_typeof('{}'), jsonb_typeof('1')
select json_extract_path('{"a":{"b":1}}','a','b'), json_extract_path_text('{"a":"x"}','a')
select j->'a'->0, j->>'b', jb @> '{"b":1}', jb ? 'a' from docs order by id
select array_to_json(array[1,2]), array_to_json(array['a',null])
select '{"a":1}'::jsonb = '{"a": 1}'::jsonb, '{"a":1}'::jsonb || '{"b":2}', '{"a":1,"b":2}'::jsonb - 'a', jsonb_set('{"a":1}','{a}','2')
select '{a:1}'::json
select to_jsonb(e) from (select * from dept where id = 1) e
select row_to_json(row(1,'a')), to_json(row(1,2))
select d.* from dept d order by d.id limit 1
select (d).name from dept d order by id
select count(d) from dept d
select count(distinct d) from dept d
select d is null, d is not null from dept d order by id
select id, lag(name) over (order by id), lead(name, 2, 'none') over (order by id), first_value(name) over (order by id), last_value(name) over (order by id), nth_value(name, 2) over (order by id) from emp order by id
select id, sum(id) over (order by id rows between 1 preceding and 1 following), sum(id) over (order by id range between 1 preceding and current row), sum(id) over (order by id groups between 1 preceding and current row exclude current row) from emp order by id
select id, sum(id) filter (where active) over (order by id) from emp order by id
select dept, sum(salary), rank() over (order by sum(salary) desc nulls last) from emp group by dept order by 3, 1
select id, sum(id) over (order by hired range between interval '1 year' preceding and current row) from emp where hired is not null order by hired
select id, count(*) over (partition by active order by id) from emp order by id
select row_number() over () from emp order by 1
select distinct dept, count(*) over (partition by dept) from emp order by 1
select id from emp order by row_number() over (order by name desc)
select id, lag(id) ignore nulls over (order by id) from emp
select sum(row_number() over ()) from emp
select bool_and(active), bool_or(active), every(active), bit_and(id), bit_or(id), bit_xor(id) from emp
select percentile_cont(0.5) within group (order by id), percentile_disc(0.5) within group (order by id), mode() within group (order by dept), percentile_cont(array[0.25,0.75]) within group (order by score) from emp
select percentile_disc(0.5) within group (order by name), percentile_disc(array[0.1,0.9]) within group (order by name) from emp
select count(*) filter (where active), sum(salary) filter (where dept = 1) from emp
select dept, string_agg(name, ', ' order by id) from emp group by dept order by dept nulls first
select sum(n), sum(r), avg(r), sum(id::smallint), sum(n::numeric) from ev, (select 1 as id) q
select sum(name) from emp
select count(*) from emp having count(*) > 10
select 1 from emp having true
select dept as d, count(*) from emp group by d order by d
select dept % 2, count(*) from emp group by dept % 2 order by 1
select dept, name from emp group by dept
select count(*) from emp where count(*) > 1
select array_agg(name order by name) filter (where active) from emp
select similar from (select 'abc' similar to '(a|b)%' as similar) q
select 'abc' similar to 'a_c', 'abc' similar to '%(b|d)%', 'abc' similar to 'ab', 'abc' similar to '[a-c]+', 'a.c' similar to 'a.c', 'abc' similar to 'a.c', 'ac' similar to 'ab?c', 'abbc' similar to 'ab{2}c', 'a%c' similar to 'a\%c', 'x' not similar to 'y|z', 'aXc' similar to 'a_c', 'a^c' similar to 'a^c', 'a$' similar to 'a$'
select name similar to '(A|B)%' from emp order by id
select 'abc' similar to null
select to_char(485, 'RN'), to_char(485, 'FMRN'), to_char(5000,'RN'), to_char(3,'rn')
select to_char(1e10, '9.99EEEE'), to_char(-0.00123, '9.9EEEE')
select to_char(12, 'MI999'), to_char(-12, 'MI999'), to_char(12, 'SG999'), to_char(-12, 'SG999'), to_char(12, 'FMMI999'), to_char(-12,'FMSG999')
select to_char(1, '9th'), to_char(2, '9TH'), to_char(482, '999th'), to_char(-3, '9th'), to_char(11, 'FM99th')
select to_char(12.45, '99V9'), to_char(12.4, '99V999')
select extract(day from hired - date '2020-01-01') from emp where id = 1
select interval '1 month' > interval '29 days', interval '1 day' = interval '24 hours'
select 'on'::bool, 'off'::bool, 'n'::bool, 'tru'::bool, ' YES '::bool
select b::bool from (values ('on'),('off'),('t')) v(b)
select d is null, count(*) from emp e left join dept d on d.id = e.dept group by 1 order by 1
select count(d), count(*) from emp e left join dept d on d.id = e.dept
select e.id from emp e left join dept d on d.id = e.dept where d is null
select e.id from emp e left join dept d on d.id = e.dept where d is not null order by 1
select row_to_json(d) from emp e left join dept d on d.id = e.dept order by e.id
select array[1] || null::int[], null::int[] || array[1], array[1,2] || null, null || array[1]
select sum(x) from (select count(*) x from emp) q
select div(7,2), div(-7,2), div(7.5,2), div(9223372036854775807, 3), div(null, 1)
select div(1,0)
select div(1.5,0)
select 5 # 3, 5 # null, (6 # 1) + 1, 2 + 3 # 1
select |/ 25.0, ||/ 27.0, |/ 4 + 1, @ -5 + 1
select array_ndims(array[1,2]), array_ndims(array[[1],[2]]), array_ndims('{}'::int[]), array_dims(array[[1,2],[3,4]]), array_dims(array['a']), cardinality(array[[1,2],[3,4]]), array_positions(array[1,null,1],1), array_positions(array[1,null,1],null)
select regexp_substr('hello', 'l+'), regexp_substr('hello', 'z'), regexp_match('abc', 'x'), regexp_match('abc', 'b'), regexp_match('aBc', 'b', 'i')
select substring('foobar' from 'o(.)b'), substring('foobar' from 'x'), substring(null from 'x')
select 1 union select 2 union all select 2 order by 1
select 1 as a union select 2 as b order by a desc
(select id from emp order by id limit 2) union all (select id from dept order by id limit 1) order by 1
select dept from emp intersect select id from dept order by 1
select dept from emp except all select 1 order by 1
select 1, 'a' union select 2, null order by 1
select null union select 1 order by 1
select 1 union select 'a'
values (1,'a'),(2,null)
values (1,'a'),(2,null) order by column1 desc limit 1
select * from (values (1,'a'),(2,'b')) as t(x,y) where y = 'b'
select * from (values (1,'a'),(2,'b')) t
select (select name from dept where id = 1), (select count(*) from dept), exists(select 1 from dept where id = 9)
select id, (select name from dept d where d.id = e.dept) from emp e order by id
select (select id from dept)
select id in (select dept from emp), id not in (select dept from emp) from dept order by id
select id = any(select dept from emp), id > all(select dept from emp where dept is not null) from dept order by id
select * from dept d, lateral (select name n from emp e where e.dept = d.id order by id limit 1) x order by d.id
select d.id, x.c from dept d left join lateral (select count(*) c from emp e where e.dept = d.id) x on true order by 1
select * from dept cross join (select 1 as one) o order by id
select * from emp natural join (select 1 as dept) q order by id
select * from emp join dept using (id) order by id
select e.*, d.name dname from emp e full join dept d on e.dept = d.id order by e.id, d.id
with a as (select 1 x), b(y) as (select x+1 from a) select * from a, b
with recursive t(n) as (values (1) union all select n+1 from t where n < 5) select sum(n) from t
with recursive t(n, path) as (select 1, array[1] union all select n+1, path || (n+1) from t where n < 3) select * from t
with recursive r(a) as (select 1 union select max(x) from (values (3), (2)) v(x)) select a from r order by a
with x as materialized (select 1 as a) select * from x
create temp table tt (id int, v text)
insert into tt values (1,'a'),(2,'b'),(3,'c') returning id, upper(v) as u
insert into tt (v) values ('x') returning *
update tt set v = v || '!' where id = 1 returning id, v
update tt set (id, v) = (10, 'ten') where id = 2 returning *
delete from tt where id = 3 returning id as gone
select * from tt order by id
insert into tt select id, name from dept returning *
insert into tt default values returning *
insert into tt (nope) values (1)
insert into tt values ('x', 'a')
update tt set nope = 1
delete from nope
truncate tt
insert into tt values (1, default) returning *
drop table tt
create temp table st (id serial, g int generated always as identity, v text default 'd')
insert into st (v) values ('a') returning *
insert into st (id) values (7) returning v
insert into st (g) values (7)
drop table st
prepare p1 (int) as select $1 + 1 as r
execute p1(41)
execute p1('41')
execute p1('x')
execute p1
deallocate p1
prepare p2 as select name from emp where id = $1
execute p2(2)
deallocate all
begin
savepoint a
select 1/0
rollback to a
select 1
release a
commit
begin
declare c cursor for select id from emp order by id
fetch 2 from c
fetch next from c
fetch all in c
move 1 from c
close c
commit
fetch 1 from c
select distinct on (dept) dept, name from emp order by dept, id desc
select distinct dept, active from emp order by 1, 2
select distinct name from emp order by id
select all 1
select id from emp order by id fetch first 2 rows only
select id from emp order by id offset 1 row fetch next row only
select id from emp order by id limit all offset null
select id from emp order by 2
select id, name as id from emp order by id
select 1 as "A b", 2 as a, 3 A
select 1 a, 2 a
select emp.id, emp.name from emp where emp.id = 1
select public.emp.id from public.emp where id = 1
table dept order by id
select * from dept where true and not false is true
select case dept when 1 then 'one' else 'other' end, case when dept is null then 0 end from emp order by id
select coalesce(dept, -1), nullif(dept, 1), greatest(dept, 1, null), least(dept, id) from emp order by id
select id between 2 and 3, id not between 3 and 2, id between symmetric 3 and 2 from emp order by id
select (id, name) = (1, 'Ada'), (id, dept) < (2, 1), row(id, dept) is distinct from row(1, 1) from emp order by id
select active is true, active is not true, active is unknown, active is distinct from true, not active from emp order by id
select 1.5::int, 2.5::int, -1.5::int, 0.5::int, 1.5::bigint, 2.5::numeric::int, 3.5::float8::int
select 1::bool, 0::bool, true::int, 'true'::text::bool, 1::text, true::text, null::int
select 'abc'::int
select ''::int
select '1.5'::int
select 'maybe'::bool
select 99999999999::int
select 32768::smallint, 1::int2
select '99999999999999999999'::bigint
select int4(1.6), text(1), float8(1), numeric(1), date('2024-01-01'), bool('t'), varchar(5)
select 'a'::uuid
select 1::nope
select 'x'::varchar(0)
select 3 + '4', '3' || 4, '10' > 9, 5 / '2'
select 1 + true
select 1 = 'a'
select sin(0), cos(0), tan(0), asin(1), acos(1), atan(1), atan2(1, 1), cot(1), sinh(0), cosh(0), tanh(0)
select 2147483647 + 1
select 2147483647::bigint * 2, 9223372036854775807 + 1
select 9223372036854775807 + 1
select 10 % 0
select 'NaN'::float8 = 'NaN'::float8, 'NaN'::float8 > 1e308, 'inf'::float8 - 'inf'::float8, 0::float8 * 'inf'::float8
select 0x1F, 0b101, 0o17
select div(9,4), 9 / 4, 9 % 4
create table wt (id int, name text, n int)
insert into wt values (1,'a',10),(2,'b',20),(3,'c',30)
create table wa (id int, name text)
with d as (delete from wt where id = 1 returning *) select id, name, n from d
with d as (delete from wt where id = 2 returning id, name) insert into wa select * from d returning id, name
select * from wt order by id
select * from wa order by id
with i as (insert into wt values (4, 'd', 40), (5, 'e', 50) returning id, n) select sum(n) as s, count(*) as c from i
with u as (update wt set n = n + 1 where id > 3 returning id, n) select wt.id, wt.n as old, u.n as new from wt join u on u.id = wt.id order by wt.id
select * from wt order by id
with i as (insert into wt values (6, 'f', 60) returning id) select count(*) from wt
select count(*) from wt
with a as (select 7 as x), i as (insert into wt select x, 'g', 70 from a returning id as y), j as (insert into wa select y, 'from i' from i returning id) select (select y from i) as i, (select id from j) as j, (select x from a) as a
with i as (insert into wt values (8, 'h', 80)) select 1 as one
with i as (insert into wt values (9, 'i', 90)) select * from i
with u as (update wt set name = 'z' where id = 100 returning id) insert into wt select 100, 'new', 0 where not exists (select 1 from u)
with u as (update wt set name = 'z' where id = 100 returning id) insert into wt select 100, 'new', 0 where not exists (select 1 from u)
select id, name from wt order by id
with d as (delete from wt where id = 3 returning id) select 1/0 from d
select count(*) from wt where id = 3
with d(k) as (delete from wt where id = 3 returning id) select k + 1 as k1 from d
with d as (delete from wt where id = 4 returning id) update wa set name = 'moved' from d where wa.id <> d.id
select * from wa order by id
with d as (delete from wt where id = 5 returning id) delete from wa using d where wa.id = 7
select * from wa order by id
with recursive r(n) as (select 1 union all select n + 1 from r where n < 3), i as (insert into wa select n, 'r' from r returning id) select max(id) from i
with i as (insert into nope values (1) returning id) select * from i
with i as (insert into wa values ('x', 'y') returning id) select * from i
with i as (insert into wa values (1, 'y') returning nope) select * from i
with i as (select 1) insert into wa select * from i, nope
begin
with i as (insert into wa values (50, 'tx') returning id) select id from i
select name from wa where id = 50
rollback
select count(*) from wa where id = 50
create table wser (id serial, v text)
with i as (insert into wser (v) values ('a'), ('b') returning id, v) select id, v from i order by id desc
with i as (insert into wser (v) values ('c') returning id), j as (insert into wser (v) select 'child of ' || id from i returning id, v) select * from j
drop table wt
drop table wa
drop table wser
select t::jsonb from docs order by id
select (t::jsonb) = '{"a":2,"b":1}' from docs order by id
select distinct x::jsonb from (values ('{"a":1,"b":2}'), ('{"b":2, "a":1}')) v(x)
select x::jsonb, count(*) from (values ('{"aa":1,"b":{"y":1,"x":[{"q":1,"p":2}]}}'), ('{"b":{"x":[{"p":2,"q":1}],"y":1},"aa":1}')) v(x) group by 1
select x::jsonb from (values ('{"k":1,"k":2}'), ('{"a,b":"{x}","a":[1,{"z":"]","y":"\""}]}'), ('{}'), ('[]'), ('[{},[]]'), ('"a{b"'), ('{"":{"":1}}'), ('{"é":1,"zz":2,"a":3}')) v(x)
select a.x::jsonb = b.x::jsonb from (values ('{"a":1,"b":2}')) a(x), (values ('{"b":2,"a":1}')) b(x)
create table jt (id int, t text, d jsonb, e jsonb)
insert into jt (id, t) values (1, '{"b":1,"a":{"d":[1,{"z":1,"y":2}],"c":null}}'), (2, '{"a":{"c":null,"d":[1,{"y":2,"z":1}]},"b":1}'), (3, '[1, 2, "x,y:{", {"k\"q":1,"a\\":2}]'), (4, null)
update jt set d = t::jsonb
insert into jt (id, d) select id + 10, t::jsonb from jt where id < 5
select id, d from jt order by id
select d, count(*) from jt group by d order by 2, 1
select count(distinct d) from jt
select distinct d from jt where id < 3
select a.id, b.id from jt a join jt b on a.d = b.d and a.id < b.id order by 1, 2
select id from jt where d = (select d from jt where id = 2) order by id
select d -> 'a' from jt where id < 3 group by 1
select t::jsonb = d from jt where id < 5 order by id
select t::jsonb ->> 'a' from jt where id = 1
select d from jt where id < 5 union select t::jsonb from jt where id < 5 order by 1
select t::jsonb #> '{a}', t::jsonb -> 'a' -> 'd' ->> 1, t::jsonb ? 'a', t::jsonb @> '{"b":1}', t::jsonb - 'b', t::jsonb || '{"0":1}' from jt where id < 3 order by id
select distinct t::jsonb -> 'a' from jt where id < 3
select '{"bb":1,"a":"x{y"}'::text::jsonb, '{"bb":[1,2],"a":2,"bb":[3]}'::text::jsonb
select * from json_to_record('{"a":1,"b":"x"}') as x(a int, b text)
select * from jsonb_to_record('{"a":1,"b":"x","c":[1,2]}') as x(a int, b text, c jsonb, d text)
select * from json_to_recordset('[{"a":1,"b":"x"},{"a":2}]') as x(a int, b text)
select * from jsonb_to_recordset('[{"a":1.5,"b":{"c":1}}]') as x(a numeric, b jsonb)
select * from rows from (generate_series(1,3), generate_series(1,2)) as t(a, b)
select * from rows from (generate_series(1,2)) t
select '{{1,2},{3,4}}'::int[][]
select '{{1,2},{3,4}}'::int[]
select '{{a,"b c"},{NULL,d}}'::text[][]
select '{{1,2},{3}}'::int[][]
select '{1,{2}}'::int[]
create temp sequence tseq
select nextval('tseq')
create temporary sequence tseq2 start 10 increment 5
select nextval('tseq2')
drop sequence tseq
select nextval('tseq')
select nextval('tseq'), currval('tseq'), lastval(), nextval('tseq') + currval('tseq')
select '{"a":{"b":{"c":{"d":{"e":{"f":{"g":{"h":{"i":1}}}}}}}}}'::jsonb #> '{a,b,c,d,e,f,g,h,i}'
select * from (select id, dept from emp order by dept desc nulls last fetch first row with ties) q order by id
select e.id, x.n from emp e, lateral (select d.name as n from dept d where d.id >= e.dept order by d.id fetch first 1 rows with ties) x order by 1
select x.a, x."B c" from jsonb_to_record('{"a":null,"B c":[1]}') x(a numeric(4,1), "B c" jsonb)
select * from json_to_recordset('[{"a":1,"b":[1,2]},{"b":null}]') as x(a bigint, b json)
select count(*) from docs, jsonb_to_recordset('[{"a":1},{"a":2}]') as r(a int)
select d.id, r.a from docs d left join lateral jsonb_to_recordset(case when jsonb_typeof(d.jb) = 'array' then '[{"a":7}]'::jsonb else '[]'::jsonb end) as r(a int) on true order by 1
select * from json_to_record('{"a":1}')
select * from rows from (jsonb_array_elements('[1,2]'), unnest(array['x','y','z'])) as r(j, t)
select dept from emp order by dept fetch first 2 rows with ties
select dept from emp order by dept offset 1 fetch next 1 rows with ties
select id from emp order by id fetch first 0 rows with ties
select dept as d, count(*) as c from emp group by dept order by c desc, 1 fetch first 2 rows with ties
select id from emp order by 1 desc fetch first (1 + 1) rows with ties
select jsonb_path_query_first('{"a":[1,2,{"b":3}]}', '$.a[2].b'), jsonb_path_query_first('{"a":1}', '$.b'), jsonb_path_query_first(null, '$.b')
select jsonb_path_exists('{"a":1}', '$.a'), jsonb_path_exists('{"a":1}', '$.b'), jsonb_path_exists('{"a":null}', '$.a'), jsonb_path_exists(null, '$.a')
select jsonb_path_query_array('{"a":[1,2.50,{"x":1,"b":2}]}', '$.a[*]'), jsonb_path_query_array('{"a":1}', '$.a[*]'), jsonb_path_query_array('[{"a":1},{"a":2},3]', '$.a'), jsonb_path_query_array('{}', '$.a')
select jsonb_path_query('{"a":[1,2,3]}', '$.a[*]')
select jsonb_path_query_array('[[1,2],[3]]', '$[*][0]'), jsonb_path_query_array('[[1,2],[3]]', 'lax $[0]'), jsonb_path_query_array('{"a b":{"c/d":[true,"x"]}}', '$."a b"."c/d"[1]')
select id, jsonb_path_query_first(jb, '$.a[1]'), jsonb_path_exists(jb, '$[1]'), jb @? '$.b' from docs order by id
select id from docs where jsonb_path_exists(jb, '$.b') order by id
select p ->> 'x' from jsonb_path_query('{"r":[{"x":"1"},{"x":"2"}]}', '$.r[*]') p
select jsonb_path_query_first('{"a":{"z":1,"b":[1.10]}}', '$.a') = '{"b":[1.10],"z":1}', jsonb_path_query_first('{"a":"x"}', '$.a') #>> '{}'
select id from emp fetch first 1 row with ties
select to_char(date '0044-03-15 BC', 'YYYY-MM-DD'), to_char(date '0044-03-15 BC', 'YYYY-MM-DD BC'), to_char(date '0044-03-15 BC', 'YYYY AD'), to_char(timestamp '0044-03-15 BC', 'Y,YYY YYY YY Y'), to_char(date '0044-03-15 BC', 'CC J DDD IYYY IW ID')
select to_char(timestamp '12345-03-15', 'YYYY-MM-DD'), to_char(date '12345-03-15', 'Y,YYY'), to_char(date '12345-03-15', 'YYY YY Y CC'), to_char(date '12345-03-15', 'IYYY IYY IY I')
select to_char(date '0044-03-15', 'YYYY FMYYYY Y,YYY FMY,YYY YYY FMYYY CC FMCC IYYY')
select to_char(12, '9.9'), to_char(1234.5, '9.9'), to_char(-12, '9.9'), to_char(12, '99'), to_char(1234, '99'), to_char(1234, '9,9'), to_char(12, 'FM9.9'), to_char(-1234, 'S9.9'), to_char(12, '9.9PR'), to_char(12, '9.9MI'), to_char(12,'0.0')
select regexp_match('ab', '(a)|(b)'), regexp_match('b', '(a)|(b)'), regexp_match('abc', '(x)?abc'), regexp_match('abc', 'b'), regexp_match('abc', 'x'), regexp_match('a', '(a)(b)?')
select (regexp_match('b', '(a)|(b)'))[1] is null, (regexp_match('b', '(a)|(b)'))[2]
select regexp_match(s, '(a)|(b)') from (values ('a'), ('b'), ('c'), (null)) t(s)
select regexp_substr('b', '(a)|(b)', 1, 1, '', 1), regexp_substr('b', 'b')
select '{"a":1.10,"b":1e2,"c":100.000}'::json
select '{"a":1.10,"b":1e2,"c":100.000}'::jsonb
select json_array_elements('[1.10, 2.0, 1e5]'), json_array_elements_text('[1.10, 2.0, 1e5]')
select * from json_each('{"a":1.10,"b":2.0}')
select * from json_each_text('{"a":1.10,"b":2.0}')
select array_length(array[[1,2],[3,4]], 2), array_length(array[[1,2,3]], 2), array_length(array[1,2], 2), array_length(array[[1],[2],[3]], 1), array_length(array[1,2], 0), array_length(array[1], null)
select array_length(x, n) from (values (array[[1,2,3]], 2), (array[[1,2,3]], 1), (array[[1,2,3]], 3), (null, 1)) t(x, n)
select array_upper(array[[1,2,3]], 2), array_lower(array[[1,2,3]], 2), array_ndims(array[[1,2,3]]), array_dims(array[[1,2,3]])
select * from generate_series(1, 3, 0)
select generate_series(1, 3, 0)
select * from generate_series(date '2024-01-01', date '2024-01-03', interval '0 days')
select s, g from (values (1), (0)) t(s), generate_series(1, 2, s) g
select make_date(-44, 3, 15), make_date(0, 1, 1)
select make_date(-44, 3, 15), make_timestamp(-44, 3, 15, 1, 2, 3)
select make_date(0, 1, 1)
select make_date(y, 3, 15) from (values (-44), (2024)) t(y)
select '2024-01-01 00:00:00.1234567'::timestamp, '2024-01-01 00:00:00.1234565'::timestamp, s::timestamp, s::timestamptz at time zone 'UTC' from (values ('2024-01-01 00:00:00.1234567'), ('2024-01-01 00:00:00.1234565'), ('2024-12-31 23:59:59.9999999'),('1969-12-31 23:59:59.9999995')) t(s)
select 0.1234567890123455::float8::numeric, 1234567890.123455::float8::numeric, x::numeric(20,5), x::numeric from (values (1234567890.123455::float8), (2.5), (1000000.00000005)) t(x)
select x::numeric(20,6), x::numeric(20,8) from (values (123456789.0123455::float8), (12345678.90123455), (0.1234567890123455), (99999999.99999995)) t(x)
select ('{a,b,c,d}'::text[])[1:3]::text
select (array['a','b c',null])[1:3]::text, array['a','b c',null]::text, (array[1,2,3])[2:]::text
select to_char(interval '1 day 2 hours', 'HH24:MI:SS'), to_char(interval '15h 2m 12s', 'HH24:MI:SS'), to_char(interval '1 year 2 months 3 days', 'YYYY MM DD')
select array_replace(array[1,2,5,4], 5, 3), array_replace(array[1,null], null, 3), array_replace(array['a','b'], 'a', null), array_replace(null::int[], 1, 2)
select width_bucket(5.35, 0.024, 10.06, 5), width_bucket(-1, 0, 10, 5), width_bucket(10, 0, 10, 5), width_bucket(3, 10, 0, 5), width_bucket(5.35::float8, 0.024, 10.06, 5)
select width_bucket(5, 0, 10, 0)
select width_bucket(5, 10, 10, 3)
select to_char(timestamp 'infinity', 'YYYY'), to_char(date '2024-01-01', '')
select generate_series(timestamp '2024-01-01', timestamp '2024-01-03', interval '0 days')
select to_char(-12, '99PL'), to_char(-12, 'FMPL99'), to_char(-0.4, 'PL9'), to_char(12, '99.9PL'),to_char(12, 'PL9,999PL')
select make_date(2024, 13, 1)
select make_timestamp(0, 1, 1, 0, 0, 0)
select make_timestamptz(-44, 3, 15, 1, 2, 3) at time zone 'UTC'
select make_date(null, 1, 1), make_date(2024, null, 1)
select regexp_match('ab', '(a)|(b)', 'i')
select regexp_match('', '(a*)|(b)'), regexp_match('ab', '(a)(?:x(b))?'), regexp_match('ab', '((a)|(c))b'), regexp_match('b', '(?i)(A)?(B)'), regexp_match('x', '(a*)(x)'), regexp_match('a,b', '(^|,)b'), regexp_match('(a', '[(](a)(b)?'), regexp_match('a(', '\((b)?')
select substring('b' from '(a)|(b)'), substring('ab' from '(a)|(b)'), substring('foobar' from 'o(.)b')
select regexp_instr('abc', null), regexp_instr(null, 'b'), regexp_instr('abc', 'b', null), regexp_instr('日本語', '語'), regexp_instr('aXbX', 'X', 1, 2), regexp_instr('aXbX', 'X', 1, 3), regexp_instr('aXbX', '(X)', 1, 2, 1), regexp_instr('', 'x*'), regexp_instr('abc', 'x*', 1, 2)
select regexp_instr('abc', 'b', 0)
select array_fill(1, null)
select array_fill(1, array[null]::int[])
select width_bucket(null, 0, 10, 5), width_bucket(3, 0, 10, null), width_bucket(0.3, 0, 1, 10), width_bucket(0.7, 0, 1, 10), width_bucket(x, 0.0, 1.0, 10) from (values (0.1), (0.2), (0.6), (1), (-1)) t(x)
select width_bucket('NaN'::float8, 0, 10, 5)
select width_bucket(5, array[]::int[]), width_bucket(null, array[1]), width_bucket(1, array[1, null])
select array_replace(x, y, 0) from (values (array[1,2,null], 2), (array[3], null), (null, 1)) t(x, y)
select to_char(d, 'YYYY-MM-DD BC') from (values (date '0044-03-15 BC'), (date '2024-01-02'), (null), ('infinity'), ('0001-01-01 BC'), ('0001-01-01')) t(d)
select to_char(d, 'YY Y YYY YYYY IYYY CC TH') from (values (timestamp '0044-03-15 BC'), ('2024-01-02'), (null), ('0001-01-01 BC'), ('0001-01-01'), ('0101-01-01 BC')) t(d)
select to_char(d, 'FMYYYY FMYY FMY,YYY FMCC FMYYY FMIYYY YYYYth') from (values (timestamp '0044-03-15 BC'), ('2024-01-02'), (null), ('0001-01-01 BC'), ('0001-01-01'), ('0101-01-01 BC'), ('2000-10-10')) t(d)
select to_char(d, 'FMDD FMMM FMHH24 FMMI FMSS FMMS FMUS FMDDD FMIW FMWW FMID FMQ FMJ FMSSSS FMRM FMDay|FMMonth FMWth') from (values (timestamp '2024-01-02 00:00:00'), ('2024-10-20 10:10:10.01'), ('0044-10-20 BC')) t(d)
select s::timestamptz at time zone 'UTC' from (values ('2024-01-01 00:00:00.1234567+00'), ('2024-01-01 00:00:59.9999999+02'), ('2024-12-31T23:59:59.9999999 +05:30'),('0044-03-15 10:00:00.99999999+00 BC'), ('2024-01-01 00:00:00.123456+00')) t(s)
select s::timestamp from (values ('2024-01-01 00:00:00.1234567+00'), ('2024-01-01 00:00:59.9999999+02'), ('2024-12-31T23:59:59.9999999 +05:30'),('0044-03-15 10:00:00.99999999 BC'), ('0044-03-15 10:00:00.0000009 BC'), ('2024-01-01 00:00:00.5')) t(s)
select s::date from (values ('2024-12-31 23:59:59.9999999'), ('2024-12-31T23:59:59.9999999 +05:30')) t(s)
select x::numeric(38, 2), x::numeric(38, 9) from (values (9223598523534.125::float8), (72420556073651.25), (7700673992978.625), (7700673992978.375), (-5567902235365.625)) t(x)
select to_char(i::interval, 'HH24:MI:SS.MS US HH12 AM FMHH24 FMMI YYYY YY FMYYYY DDD DD MM SSSS') from (values ('100 hours 5 min 6.789 sec'), ('-1 hour -30 minutes'), ('1 year -2 months'), ('14 months 40 days'), (null), ('0'), ('-14 months -1.5 seconds'), ('23:59:59.999999')) t(i)
select to_char(interval '1 day', 'Mon')
select to_char(interval '1 day', 'Day')
select to_char(interval '1 day 2 hours', '"days:" DD "100%" HH24"%H"')
select to_char(time '10:11:12.5', 'HH24:MI:SS.MS AM'), to_char(timestamp '2024-01-02 10:11' - timestamp '2024-01-01', 'DD HH24:MI'), to_char(age(timestamp '2024-03-01', timestamp '2023-01-15'), 'YYYY-MM-DD')
select to_char(t.x, 'HH24:MI') from (select at - timestamp '2023-01-01' as x from (values (timestamp '2024-01-02 10:11')) v(at)) t
select to_char(now()::date, 'YYYY') = extract(year from now())::text, to_char(now(), 'TZ') is not null
select to_char(null::interval, 'HH24'), to_char(null::timestamp, 'HH24')
select '{"a":1.10}'::json -> 'a', '{"a":1.10}'::json ->> 'a', '[1.0, 2.50]'::json -> 1, '[1.0, 2.50]'::json ->> 0
select '{"a":1.10}'::jsonb -> 'a', '{"a":1.10}'::jsonb ->> 'a', '[1.0, 2.50]'::jsonb -> 1, '[1.0, 2.50]'::jsonb ->> 0
select '{"a":[1.10,{"b":2.0}]}'::json #> '{a,1,b}', '{"a":[1.10,{"b":2.0}]}'::json #>> '{a,0}', json_extract_path('{"a":1.50}', 'a'), json_extract_path_text('{"a":1.50}', 'a')
select '{"a":[1.10,{"b":2.0}]}'::jsonb #> '{a,1,b}', '{"a":[1.10,{"b":2.0}]}'::jsonb #>> '{a,0}', jsonb_extract_path('{"a":1.50}', 'a'), jsonb_extract_path_text('{"a":1.50}', 'a')
select j -> 'a', j ->> 'a', j -> 'b' -> 'c', j -> 'b' ->> 'c', j #> '{b,c}', j -> 'b' from (values ('{"a":1.10,"b":{"c":2.500}}'::json), ('{"a":"x.1e5","b":{"c":[1e2,0.00001,12345678901234567890123]}}'), ('{"a":7}'), (null)) t(j)
select (j ->> 'price')::numeric(10,2), (j -> 'n')::text, (j ->> 'n')::int from (values ('{"price":19.90,"n":3}'::jsonb), ('{"price":5,"n":4}')) t(j)
select '{"a":12345678901234567890123}'::json -> 'a', '{"a":-0.10}'::json -> 'a', '{"a":{"b":1.0,"c":"1.0"}}'::json -> 'a', '{"a":1E2}'::json ->> 'a'
select '{"a.b":1.10,"x\"y":2.20}'::json -> 'a.b', '{"a":{"b":{"c":{"d":1.10}}}}'::jsonb -> 'a' -> 'b' -> 'c' -> 'd', '{"a":1.10}'::jsonb -> k from (values ('a'), ('z')) t(k)
select '{"a":1.5,"b":"x 2.5"}'::jsonb - 'c', '{"a":[1.50,"2.50",-3e2,"\"4.0"]}'::jsonb || '{"z":"1.0"}', '[1.0,"1.0",2]'::jsonb - 2, '"1.50"'::jsonb, '[]'::jsonb || '1.50'
select '"s"'::jsonb -> 0, '1.50'::jsonb ->> 0, '1.50'::jsonb -> -1, 'null'::jsonb -> 0, '{}'::jsonb -> 0, '"s"'::jsonb -> 1, 'true'::jsonb ->> 0, '"s"'::json -> 0, '[1]'::jsonb -> 0 -> 0
select j::jsonb, to_jsonb(j::jsonb), jsonb_build_array(j::jsonb, 1.5::numeric(3,2)), j::jsonb -> 'a' from (values ('{"b":1.50,"a":[2.0, {"c":"2.0", "d":10.10}]}'), ('1.50'), (null)) t(j)
select string_to_array('', ',')::text, string_to_array('a,b', ',')::text, (tags || null::text[])::text, (select array_agg(x) from unnest(array[1,2]) x)::text, array_remove(array['a','b'], 'a')::text, regexp_split_to_array('a b', ' ')::text, array_cat(tags, null::text[]) from emp order by id
select array_cat(null::int[], null), array_cat(array[1], null), array_cat(array[1], array[2]), (array[null,2]::int[])[i:], (array[1,2,3])[i:i + 1] from (values (-1), (0), (2), (null)) t(i)
select concat('a' not like '_b%', 'a' like 'a', array[1] @> array[1], starts_with('a', 'a'), 'x' ~ 'x'), concat_ws(',', 'a' not like 'b', 1 = 1)
select factorial(5::bigint), encode(convert_to('aé', 'UTF8'), 'hex'), convert_from('\x6162'::bytea, 'utf8'), trim_array(array[1,2,3], 2), trim_array(null::int[], 1), (1 # 3) || array[2]
select trim_array(array[1], 2)
select (date '2024-01-01', interval '10 days') overlaps (date '2024-01-05', date '2024-01-06'), (timestamp '2024-01-01', interval '1 day') overlaps (timestamp '2024-01-02', interval '1 day'), (date '2024-01-01', null::interval) overlaps (date '2024-01-05', date '2024-01-06')
select string_agg(distinct name, ',' order by name desc), array_agg(distinct hired + 1 order by hired + 1 desc) from emp
drop table if exists uq
drop table if exists uv
create table uq (id int, a int, b text, c numeric(10,2))
create table uv (k int, v int, w text)
insert into uq values (1, 1, 'x', 1.5), (2, null, 'y', 2.5), (3, 3, null, null)
insert into uv values (1, 10, 'one'), (3, null, 'three'), (4, 40, 'four')
update uq set (a, b) = (select v, w from uv where k = uq.id)
select id, a, b, c from uq order by id
update uq as q set (c, a) = (select count(*), sum(v) from uv where uv.k <> q.id), b = b || 'y'
select id, a, b, c from uq order by id, a
update uq set (a, b) = (select v from uv where k = uq.id)
update uq set (a) = (select v, w from uv where k = uq.id)
update uq set (a, b) = (select v, w from uv)
update uq set (a, b) = (select v, w from uv order by k desc limit 1) where id = 2 returning *
update uq set (a, b) = (with x as (select k, v, w from uv where v > uq.a) select v, w from x order by k limit 1)
select id, b, a, c from uq order by id
update uq set (a, b) = (select uv.v, uv.w || f.z) from (values (1, 'q'), (2, 'r')) f(i, z), uv where uv.k = 1 and f.i = uq.id
select id, b, a from uq order by id
update uq set (a, b) = (values (1, 'z')) where id = 1 returning *
SELECT x, x << 3, x >> 1, (x - 7) << 2 FROM (VALUES (-5),(0),(3),(NULL)) v(x)
SELECT -1 << 3, (-5)::bigint << 40, 1 << 4, 1 << NULL
SELECT ((-1 << 2) << 3) << 1
SELECT array_agg(DISTINCT substr(x, 1, 1) ORDER BY substr(x, 1, 1) DESC) FROM (VALUES ('ab'),('a'),('b'),(NULL)) v(x)
SELECT array_agg(DISTINCT substr(x, 1, 1) ORDER BY substr(x, 1, 1) DESC NULLS LAST) AS z FROM (VALUES ('ab'),('a'),('b'),(NULL)) v(x)
SELECT array_agg(DISTINCT split_part(x, '-', 1) ORDER BY split_part(x, '-', 1)) FILTER (WHERE x <> 'b') FROM (VALUES ('ab'),('a-x'),('b'),(NULL)) v(x)
SELECT string_agg(DISTINCT substr(x, 1, 1), '-' ORDER BY substr(x, 1, 1) DESC) FROM (VALUES ('ab'),('a'),('b'),(NULL)) v(x)
SELECT string_agg(DISTINCT substr(x, 1, 1), '-' ORDER BY substr(x, 1, 1)) FROM (VALUES (NULL::text)) v(x)
SELECT string_agg(DISTINCT substr(x, 1, 1), '-' ORDER BY substr(x, 1, 1)) FILTER (WHERE x LIKE 'a%') FROM (VALUES ('ab'),('a'),('b'),(NULL)) v(x)
SELECT string_agg(DISTINCT substr(x, 1, 1), NULL ORDER BY substr(x, 1, 1)) FROM (VALUES ('ab'),('a'),('b'),(NULL)) v(x)
SELECT (timestamp '0044-03-15 10:00:00 BC')::text, (date '0044-03-15 BC' - 1)::text, 'infinity'::timestamp::text, '-infinity'::date::text, (date '0001-01-01' - 1)::text
SELECT 'x' || date '0044-03-15 BC', concat(date '0044-03-15 BC', 'y'), d::text, (d + interval '1 day')::text FROM (VALUES (date '0044-03-15 BC'), (NULL)) v(d)
SELECT CASE WHEN true THEN date '2020-01-01' END::text, coalesce(NULL, date '2020-01-01')::text, max(d)::text FROM (VALUES (date '2020-01-01')) v(d)
SELECT y, cardinality(array_agg(DISTINCT substr(x, 1, 1) ORDER BY substr(x, 1, 1))) FROM (VALUES ('ab',1),('a',1),('b',2),(NULL,2)) v(x,y) GROUP BY y ORDER BY y
SELECT count(*) FROM (VALUES (1)) v(x) GROUP BY 'a' || 'b'
SELECT row_number() OVER (ORDER BY NULL), row_number() OVER (PARTITION BY 'a' ORDER BY true) FROM (VALUES (1)) v(x)
select jsonb_agg(((jb || jb) || '{"x": 1.50}') order by id) from docs
select jsonb_agg((('{"x": 1.50}' || jb) || jb) - 'b' order by id) from docs where jsonb_typeof(jb) = 'object'
select id, (((jb || '{"x": {"y": 1}}') || jb) #- '{b}') - 'z' from docs where jsonb_typeof(jb) = 'object' order by id
select id, jb - 0, (jb || '[1.10]') - 1, jb - array['x'] from docs where jsonb_typeof(jb) = 'array' order by id
select id, jb || null, null || jb, jb - null::text from docs order by id
select jsonb_agg(id + 1 order by id), jsonb_agg(upper(t) order by id), json_agg(id * 2 order by id), jsonb_object_agg(id, t || 'x') from docs
select to_jsonb(id + 1), to_jsonb(t || 'x'), to_jsonb(array[id, id + 1]), to_jsonb(date '2024-01-01' + id), to_jsonb(id > 1) from docs order by id
select jsonb_build_array(id + 1, t || 'x', id in (1, 2)), jsonb_build_object('a', id * 2, 'b', lower(t)) from docs order by id
select array_append(tags, 'x')::text, array_prepend('x', tags)::text, trim_array(array[1, 2, 3], 1)::text, upper(array_append(tags, 'x')::text), array_append(tags, 'x')::text || '!' from emp order by id
select to_jsonb(hired), jsonb_build_object('d', hired), to_jsonb(array[hired]), jsonb_agg(hired) over (order by id) from emp order by id
select to_jsonb(date '0044-03-15 BC'), jsonb_build_array(date '0044-03-15 BC', timestamp '0044-03-15 10:00 BC', timestamptz '0044-03-15 10:00+00 BC'), to_jsonb(array[date '0044-03-15 BC']), to_json(date '-infinity')
select 'a b' ~ '\yb\y', 'ab' ~ '\yb', 'ab' ~ 'a\Yb', 'ab cd' ~ '\mcd', 'ab cd' ~ 'b\M', 'abc' !~ '\mbc', 'A-b' ~* '\mB\M'
select regexp_replace('cat concat', '\mcat\M', 'x', 'g'), regexp_replace('a1 22', '\m\d+\M', '<\&>', 'g'), regexp_match('foo bar', '\mb\w+\M')
select date_trunc('hour', interval '1 month 3 hours 5 minutes')::text, coalesce(date_trunc('day', interval '2 months'))::text || '!'
select -2147483648
select -2147483648, pg_typeof(-2147483648)::text, abs(-2147483647), to_hex(-2147483648 + 0), array_prepend(-2147483648, '{}'::int[]), -2147483648::bigint, -9223372036854775808
select abs(-2147483648)
select x from (values (1), (-2147483648)) t(x) where x = -2147483648 or x < -2147483648
select split_part('%', s, null::int), split_part('%', s, 1), split_part(null, 'x', 0) from (values ('%'), (''), (null)) t(s)
select decode('6', 'hex')
select decode('61', 'hex'), decode(null, 'hex'), decode('', 'hex')
select chr(x) from (values (97), (null), (228)) t(x)
select date 'infinity' - date '2024-01-01'
select date '2024-01-01' - date '-infinity'
select x - date '2024-01-01' > 3, date '2024-01-01' - x is null from (values (date '2024-03-05'), (null)) t(x)
select hired - hired = 0, hired - date '2020-01-01' > 3 from emp order by id
select hired - d = 0 from emp, (values (date 'infinity')) t(d)
select date_part('epoch', timestamp '-infinity'), date_part('epoch', x), date_part('julian', x) from (values (timestamp '-infinity'), ('2024-01-01 12:00'), (null), ('infinity')) t(x)
select date_part('epoch', date 'infinity'), date_part('epoch', timestamptz '-infinity'), date_part('epoch', interval '1 day 2 hours'), date_part('epoch', time '10:00')
select regexp_replace('a', 'a', '\9'), regexp_replace('abc', '(b)', '[\1\2\9\\x]'), regexp_replace('abc', 'b', '\x\'), regexp_replace('abc', '(b)', '\&\&\1'), regexp_replace('abc', '(b)', '\\1'), regexp_replace('abab', 'a(b)', '<\1\2>', 'g'), regexp_replace('abc', 'b', null)
select substring(E'\nab' from '.'), substring(E'a\nb' from 'a(.)b'), regexp_split_to_array(E'a\nb', '.'), regexp_split_to_array('aXbxc', 'x', 'i'), regexp_split_to_array(null, 'a'), regexp_split_to_array('a', null), regexp_split_to_array('a,b', ',')
select w from regexp_split_to_table(E'a\nb', '.') w
select regexp_split_to_table('a1b22c', '\d+'), regexp_split_to_table('aXb', 'x', 'i')
select corr(y, x), corr(x, y), regr_slope(y, x), regr_slope(x, y), corr(x, x) from (values (1.0::float8, 2::float8), (1, 3), (1, null)) t(x, y)
select corr(y, x), regr_slope(y, x) from (values (1.0::float8, 2::float8), (2, 3.5), (null, null)) t(x, y)
select x, corr(y, x) over (order by y), regr_slope(y, x) over (order by y) from (values (1.0::float8, 2::float8), (2, 3.5), (2, 7)) t(x, y) order by y
select corr(y, x) filter (where x < 2), regr_slope(y, x) filter (where x > 5), corr(distinct y, x) from (values (1.0::float8, 2::float8), (2, 3.5), (2, 7)) t(x, y)
select corr(a, b), regr_slope(a, b) from (values (1, 2), (2, 3)) t(a, b) where false
select array_to_string(a, s), array_to_string(a, s, 'n'), array_to_string(a, ','), array_to_string(a, null), array_to_string(a, ',', s) from (values (array['x',null,'y'], '--'), (array[]::text[], ','), (null, ','), (array['z'], null), (array['p','q'], '')) t(a, s)
select array_to_string(array[1.5::float8, 2], s), array_to_string(array[[1,2],[3,null]], s, 'n') from (values ('a')) t(s)
select make_timestamp(2020, 1, 2, 3, 4, 1e15::float8)
select make_timestamp(2020, 1, 2, 3, 4, 5.5), make_timestamp(2020, 1, 2, 3, 4, null)
select sha256('abc'), sha256('\x00'::bytea), sha256(null::bytea), sha256('a')::text, length(sha256('a'::bytea)) = 32
select null::int[] || 7, 7 || null::int[], null::int[] || null::int, null::text[] || 'a'::text, 'a'::text || null::text[]
select null::int[] || x, coalesce(null::int[] || x, array[1]) from (values (7), (null)) t(x)
select '{}'::text[] || null::text, null::text || '{a}'::text[], array['a'] || null::text
select substring('\x6162'::bytea, 1)::text, ('\x61'::bytea || '\x62'::bytea)::text, decode('6162', 'hex')::text, convert_to('a', 'UTF8')::text, coalesce(null, decode('61', 'hex'))::text
select x::bytea, x::bytea::text from (values ('abc'), ('\x0061'), ('a\\b'), ('a\001b'), ('é'), (null), ('')) t(x)
select ('\x' || '61')::bytea, '\x0061'::text::bytea, 'a'::text::bytea
select 'x' || decode('61', 'hex')::text, decode('61','hex') || '\x62', '\x00' || x, concat(decode('61','hex'), 'y') from (values ('\x01'::bytea), (null)) t(x)
select regexp_matches('abab', '(a)(b)', 'g')
select regexp_matches('abab', 'x', 'g')
select * from regexp_matches('abab', 'a', 'g')
select m[1] from regexp_matches('a1b2', '([a-z])(\d)', 'g') m
select regexp_matches(s, 'a', 'g') from (values ('aa'), ('b'), (null)) t(s)
select s, regexp_matches(s, '(a)|(b)', 'g') from (values ('ab'), ('b'), (null), ('c')) t(s)
select (regexp_matches('foo1bar2', '([a-z]+)(\d)', 'gi'))[2]
select current_timestamp(3) is not null, localtimestamp(0) is not null, length(localtimestamp(0)::text) = 19, current_timestamp(0) - now() < interval '2 seconds'
select current_timestamp(3) = date_trunc('milliseconds', current_timestamp(3))
select date_part('epoch', date '2024-01-01'), extract(year from date '2024-01-01') + 1 > 0, pg_catalog.date_part('epoch', date '2024-02-03') as x
select generate_series(1)
select * from generate_series(1)
select generate_series(1, 2, 3, 4)
select encode('\x61', 'hex'), encode('a\\b', 'escape'), encode('é', 'base64'), convert_from('\x61', 'utf8'), convert_from('a', 'UTF8'), sha256('\x00') = sha256('\x00'::bytea)
select 'a\\b\000é'::bytea, '\\x61'::bytea, ''::bytea
select array_remove(null::text[], ' x ') || jsonb_typeof('1'), '{a}'::text[] || to_char(date '2024-01-01', 'YYYY'), '{a}'::text[] || md5('a'), '{a}'::text[] || lpad('x', 3), '{a}'::text[] || convert_from('\x61', 'utf8')
select to_char(d, 'YYYY')::int + 1, to_char(12, '99')::int, jsonb_typeof('1')::text from (values (date '2024-01-02')) t(d)
select s::interval::text, (s::interval + interval '1 second')::text from (values ('1 day 5'), ('5'), ('1-2'), ('-1-2'), ('3 4:05'), ('3 4:05:06.5'), ('P1Y2M3DT4H5M6S'), ('P2W'), ('PT5M'), ('P1M'), ('1 min 5.5'), ('-5'), ('2 hours'), (null), ('1 day 04:00'), ('1 year 2 mons -3 days')) t(s)
select s::interval from (values ('1 5')) t(s)
select s::interval from (values ('x')) t(s)
select at + s::interval from ev, (values ('1 day 5')) t(s) where id = 1
select regexp_replace(t, p, '<\1\2>', 'g'), regexp_replace(t, p, '\3') from (values ('abc', 'b'), ('abc', '(b)'), ('abc', 'a|(c)'), ('x', null)) r(t, p)
with recursive r(n) as (values (1) union all select n + 1 from r where n < 3) select * from r
with recursive r(n) as (select 1 union all select e.id from emp e right join r on r.n = e.id - 1 where e.id < 9) select * from r order by 1
with recursive r(n) as (select 1 union all select r.n + 1 from r left join emp e on r.n = e.id - 1 where n < 3) select * from r order by 1
with recursive r(n) as (select 1 union all (select n + 1 from r where n < 3 except select 2)) select * from r
with recursive r(n) as (select 1 union all (select n + 1 from r where n < 3 intersect select 2)) select * from r
with recursive r(n) as (select 1 union all (with q as (select n from r) select n + 1 from q where n < 3)) select * from r order by 1
with recursive r(n) as (select 1 union all select n + 1 from r where n < (select count(*) from emp)) select * from r order by 1
with recursive r(n) as (select 1 union all select n + 1 from r where n < 3 group by n) select * from r order by 1
with recursive r as (select 1 as n), s as (select n + 1 as m from r) select * from s
with recursive r(n) as (select 1 union all select x from r, lateral (select n + 1 as x where n < 3) q) select * from r order by 1
with recursive r(n) as (select 1 union all select n + 1 from r where n < 3) select a.n, b.n from r a, r b order by 1, 2
select count(*) from emp group by null::int
select count(*) from emp group by 't'::boolean
select count(*) from emp group by cast('t' as boolean)
select count(*) from emp group by date '2024-01-01', 'a'::text, 1 + 1, not true, 'a' || 'b'
select 'x' as x, count(*) from emp group by x
select 'x' as x, count(*) from emp group by 1
select id from emp order by 'a'::text, null::int, id
select * from unfilled where i = ' 12 ' and b = '99999999999' and n = '1.555' and f < '1e30' and bo = 'yes' and x = 'abc'
select * from unfilled where d >= 'infinity' and d < 'Feb 29, 2024' and ts > 'epoch' and tz < '2024-02-29 10:00:00+02' and ts <> '-infinity'
select * from unfilled where i in ('1', '22', '333') or d between '2024-01-31' and '2024-02-29' or n > '99999999999.5' or bo in ('t', 'off', '0')
select i::text from unfilled where i::text = 'abc' and (x = '1' or lower(x) = 'y')
select coalesce(x, 'abc'), coalesce(i, '7'), greatest(d, '2024-01-01'), nullif(i, '0') from unfilled
select case i when '1' then 'one' else 'other' end from unfilled
select jb ? t, jb ? null, jb ? 'a' from docs order by id
select d.jb ? e.name and true from docs d, emp e order by d.id, e.id
select jb ?| tags, jb ?& tags from docs, emp order by docs.id, emp.id
select (jb -> 'a') ? t from docs order by id
select array[1,2] || a[1], a[2] || array[7], a || a[1], a[1] || a from (values (array[5,6])) t(a)
select tags || tags[1], tags[1] || tags, tags || name, name || tags, name || tags[1], tags[1] || tags[2] from emp order by id
select current_time(2) is not null, localtime(1) is not null, length(localtime(0)::text) = 8, length(current_time(0)::text) = 11
with recursive t(n) as (select 1 union all select n + 1 from t where n < 5) select * from t
with recursive t(n) as (select 1::bigint union all select n + 1 from t where n < 5) select * from t
with recursive t(n) as (select 1.5::float8 union all select n + 1 from t where n < 5) select * from t
with recursive t(d) as (select date '2024-01-01' union all select d + 1 from t where d < '2024-01-03') select * from t
with recursive t(n, m) as (select id, salary from emp where id = 1 union all select n + 1, m from t where n < 3) select n, m from t order by 1
select to_char(timestamp '2024-02-03 04:05:06', '"Year" YYYY \"x\"'), to_char(timestamp '2024-02-03', 'YYYY\MM'), to_char(timestamp '2024-02-03', '\"'), to_char(timestamp '2024-02-03', '"\"')
select trim('  a '), trim(both 'x' from 'xax'), btrim(' a'), trim(name) from emp order by id
select x.btrim from (select trim(' a ')) x
select trim(name), count(*) from emp group by 1 order by btrim
select array_agg(id order by 'a'), string_agg(name, ',' order by 'x', name desc), array_agg(id order by 1), array_agg(id order by null, id desc), array_agg(id order by true, id desc) from emp
select percentile_disc(0.5) within group (order by id), mode() within group (order by 1) from emp
select get_byte('\x0102ff'::bytea, 2), set_byte('\x0102ff'::bytea, 1, 255), get_byte('abc', 0), set_byte('abc', 0, 65), get_byte(null, 1), set_byte('\x00'::bytea, 0, 256)
select format('%10s|', 'abc'), format('%-10s|', 'abc'), format('%1$s %2$s %1$s', 'a', 'b'), format('%I', 'Foo bar'), format('%L', 'it''s'), format('%L', null), format('%s', null), format('%%')
select format('%2$s %s', 'a', 'b', 'c'), format('%*s|', 5, 'a'), format('%-*s|', 5, 'a'), format('%s', true), format('%*1$s', 5, 'a'), format('%*s|', -5, 'a'), format('%3s|', 'abcdef'), format('%-5I|%5L', 'a b', null), format('%s', '{a,b}'::text[]), format('%5s', null)
select format('%10s', id), format('%-4s|', name) from emp order by id
select * from emp tablesample bernoulli (100) order by id
select count(*) from emp tablesample system (100)
select count(*) from emp tablesample bernoulli (0)
select dept, active, count(*) from emp group by distinct rollup (dept, active), rollup (dept) order by 1, 2, 3
select count(*) from emp group by distinct dept order by 1
select dept, count(*) from emp group by distinct cube (dept, dept) order by 1, 2
select dept, grouping(dept) from emp group by distinct grouping sets ((dept), (dept), ()) order by 1, 2
select id from emp where hired >= 'today' order by id
select id from emp where hired < 'tomorrow' and hired > 'epoch' and hired < 'infinity' order by id
select count(*) from ev where at < 'now' and at > 'epoch' and atz < 'today'
select id from emp where hired between 'yesterday' and 'now' order by id
select name from emp where name <> 'today' and name <> 'now' order by 1
select case when current_date = 'today' then 1 end, coalesce(null, current_date) = 'now'
select greatest(hired, 'epoch') from emp order by id
select sind(30), cosd(60), tand(45), asind(0.5), acosd(0.5), atand(1), atan2d(1, 1), sind('30'), cosd(null)
select sind(x), cosd(x), tand(x) from (values (0.0), (90), (180), (270), (360), (-30), (45), (null), (135), (225), (390), (-90)) t(x)
select asind(x), acosd(x), atand(x) from (values (0.0), (1), (-1), (-0.5), (0.8), (null)) t(x)
select tand(90), tand(-90), tand(270), atan2d(0, -1), sind(15), cosd(75), sind(id), cosd(id) from emp order by id
select date_bin('1 hour', at, '2000-01-01'), date_bin('15 minutes', timestamp '2024-02-29 10:44', '2001-01-01') from ev order by id
select nullif('\x00ff'::bytea, '\x01'::bytea)::text, nullif(interval '1 month', interval '2 days')::text, nullif(array[1, null], array[3])::text, nullif(1e15::float8, 2)::text
select null::int[] || mod(null::int, x), null::int[] || mod(nullif(x, 2), 5), mod(x, 2) || null::int[], array[1] || mod(x, 2), array[1] || (x - 1) from (values (1), (2)) t(x)
select (select tags from emp where id = 1) || null::text, tags || null::text, null::text || tags, null::text || (select tags from emp where id = 2) from emp order by id
select concat_ws(name, 'a', null::int, name) || id, id || upper(null), name || null, '\x61'::bytea || null::bytea from emp order by id
select decode(encode((select '\x6162'::bytea where emp.id < 3), 'base64'), 'base64'), decode((select '\141'), 'escape') from emp order by id
select ('{null,1}'::int[])['-1'::int], (array[1,2])[(select -1)], (array[1,2])[coalesce(null, -1)], (array[1,2])[case when true then -2 end], tags[least(id, -1)], tags[(select 1)] from emp order by id
select percentile_disc(0.25) within group (order by ('{null,1}'::int[])['-1'::int]) from emp group by dept
select array_remove(tags, (select 'a')), array_to_string(tags, (select '-'), (select 'n')), array_replace(tags, (select 'a'), (select max(name) from emp)), string_to_array('a,b', (select ',')), array_positions(tags, (select 'a')) from emp order by id
select array_remove(array_agg(id order by id), (select 1)), array_to_string(array_agg(id order by id), (select '-')) from emp
select (select jb from docs where id = d.id)::text, (select jb from docs where id = d.id) || '{"x": 1}'::jsonb, (select d.jb)::text, (select (select d.jb) -> 'a') from docs d where jsonb_typeof(jb) = 'object' order by id
select (select tags from emp where id = e.id)::text, (select e.tags)::text, (select '\x61'::bytea)::text, (select array[1.5::float8])::text, concat((select true), (select active from emp where id = e.id)) from emp e order by id
select (array_agg(jb order by id))[1]::text, (array_agg('\x61'::bytea))[1]::text, (array_agg(1e15::float8))[1]::text, (array[date '0044-03-15 BC'])[1]::text from docs
select first_value(jb) over (order by id)::text, lag(jb) over (order by id) || '[1]', lag(jb) over (order by id) -> 0 from docs order by id
select lag(tags) over (order by id)::text, first_value(tags) over (order by id) || name, concat(first_value(active) over (order by id)), concat(bool_or(active) over (), bool_and(active) over ()) from emp order by id
select x::text, y || 1 from (select (select '\x61'::bytea where id > 0) as x, (select array[id]) as y from emp order by id) q
select array[true] || false, array[date '2024-01-01'] || hired from emp order by id
select unnest(array['\x61'::bytea, '\x00'])::text, unnest(array[1.0::float8, 1e15])::text
select array_agg(distinct x), string_agg(distinct x, ','), array_agg(distinct upper(x) || '!') from (values ('b'), ('a'), (null), ('c'), ('a')) t(x)
select g, array_agg(distinct x), array_agg(distinct x) filter (where x > 1) from (values (1, 10), (1, 9), (2, null), (1, 1), (2, -1)) t(g, x) group by g order by g
select jsonb_build_object('t', 'int4'::regtype, 'c', 'pg_class'::regclass)::text, to_json('text'::regtype), concat('int4'::regtype, '!')
select jsonb_object_agg(n, t)::text from (select 'a' as n, 'date'::regtype as t) q, (select jsonb_object_agg('x', 23::regtype) from generate_series(1, 1)) r
select current_schema = 'public' as s, current_catalog = current_database() as c, current_role = current_user as r
select (interval '1 day' / (select max(id) from emp))::text, ((interval '3 days' / nullif(id, 0)) / nullif(id - 1, 0))::text from emp order by id
select timestamptz '2024-03-01 00:00+00' - interval '-1 month 2 hours', timestamptz '2024-03-31 10:00+00' - interval '1 month 1 day', timestamptz '2024-03-31 01:00+00' + interval '-1 month -2 hours', timestamp '2024-03-31 01:00' - interval '1 month 2 hours'
select date_trunc('month', atz) - interval '-1 month 2 hours', atz - interval '1 day', atz - (interval '1 month' + interval '1 hour'), atz - make_interval(months => id, hours => 2), at + interval '1 mon -1 day' from ev order by id
select (sign(-2.5::numeric) / 2)::float8, sign(3::float8) / 2, sign(id - 2) from emp order by id
select "current_schema", "current_role" from (select 5 as "current_schema", 6 as "current_role") q
select regexp_replace('xx', '(x)', (select 'a\1b\\c\&d\'::text)), regexp_replace('xx', 'x', (select 'a\b'::text)), regexp_replace('xx', 'x', (select 'a\1b'::text)), regexp_replace('xx', 'x', '\0y')
select regexp_replace(x, p, r, 'g') from (values ('abab', '(a)(b)', '\2\1\3'), ('abab', 'a', '\0\&'), ('abab', 'a', '\\&'), ('a', 'a', null), ('a', 'a', '\\\'), ('aé', 'a', 'é\é')) t(x, p, r)
select stddev_pop(x), var_pop(x), stddev_pop(x) filter (where x > 0) from (values ('infinity'::float8), ('nan'), ('-infinity'), (1), (null)) t(x) group by x order by x
select var_pop(x) over (partition by x) from (values ('infinity'::float8), (2), (null)) t(x) order by x
select overlay(name placing null::text from 2 for 1) || 'a' from emp order by id
select array_replace(array['a', null], null, 'b') || repeat('a', 0), repeat('a', 2) || array['b'], array_replace(null::text[], null, 'b') || repeat('a', 3)
select (greatest(null::interval, interval '1 day') / nullif(id, 0))::text, (least(interval '1 day', interval '2 days') / id)::text from emp order by id
select jsonb_build_object('b', relname, 'a', '[1]'::jsonb), to_jsonb(relname) from pg_class where relname = 'pg_class'
select '"s"'::jsonb -> (length('') + 0), '5'::jsonb ->> (id - 1), '{"a": 1}'::jsonb -> (id - 1), '[1, 2]'::jsonb -> (id - 3), 'null'::jsonb -> (id - 2) from emp order by id
select chr(id + 64) || chr(233), chr(null) from emp order by id
select l.a, l.a = '{"y": 1, "x": [1,  2]}', l.b from (select 1 as id, '{"x": [1, 2], "y": 1}'::jsonb as j, 1.5::float8 as f) t left join lateral (select t.j as a, t.f::text as b) l on true
select l.* from (values ('{"x":[1,2]}'::jsonb, 1)) t(j, n) cross join lateral (select t.j as a, u.j -> 'x' as b from (select t.j) u) l
select 1::numeric(38, 0) as x union all select 2.345::numeric(12, 3) union all (select 7::numeric(38, 0) except select 7.4::numeric(12, 3)) order by x
select coalesce(w, n), greatest(w, n), case when w > 1 then n else w end, (array[w, n])[2], (array[w] || n)[2], w = any (array[n]), n = any (array[w]), array_position(array[w], n), array[w] = array[n], array[w] && array[n], lag(w, 1, n) over () from (values (2::numeric(38, 0), 2.345::numeric(12, 3))) t(w, n)
select greatest(coalesce(nullif(w, 2), n), 0.12345::numeric(10, 5)) as x, count(*) from (values (2::numeric(38, 0), 2.345::numeric(12, 3)), (1, 0.5::numeric(2, 1))) t(w, n) group by greatest(coalesce(nullif(w, 2), n), 0.12345::numeric(10, 5)) order by x
with s as (select sum(id::numeric(12, 2) + 0.25::numeric(12, 2)) as x from emp union all select sum(id::numeric(12, 4) + 0.0625::numeric(12, 4)) from emp) select max(x) > 2, min(x), (select sum(x) from s) from s
select id, (select coalesce(sum(e.id::numeric(12, 2)) filter (where false), max(emp.id + 0.125::numeric(12, 3)))) from emp e, emp where e.id = 1 and emp.id < 3 order by 1
select id from emp where id::numeric(38, 0) in (select id + 0.25::numeric(12, 2) from emp) or id::numeric(38, 0) in (select (id - 0.5::numeric(12, 1)) + 0.5::numeric(12, 1) from emp where id < 3) order by id
with s(id) as (select sum(x) from (values (2.5::numeric(12, 1)), (1.0::numeric(12, 1))) t(x)) select greatest(s.id, 7.345::numeric(12, 3)) from s, emp e where e.id = 1
select coalesce(nullif(e.id::numeric(38, 0), 1), 2.345::numeric(12, 3)) from emp e, pg_class c where e.id = 1 and c.relname = 'pg_class'
select w % n, mod(w, n), n % w, w % (select sum(id) from emp), m % id, m % 7, mod(m, id), w % nullif(n, n) from emp, (values (12345678901234567890123456789012345.67::numeric(38, 2), 1000.123::numeric(38, 3), 0.123456789012345678901234567891::numeric(38, 30))) t(w, n, m) order by id
select tags = '{a,b}', tags <> '{a}', tags @> '{a}', tags && '{b,c}', tags <@ '{a,b,c}', tags is distinct from '{b}', tags between '{a}' and '{b}', tags in ('{b}', '{}') from emp order by id
select tags || '{x,"y z",NULL}', '{x}' || tags, coalesce(tags, '{z}'), case when id = 2 then '{q}' else tags end, nullif(tags, '{}'), array_cat(tags, '{y}') from emp order by id
select array[id] || '{7,8}', '{7}' || array[id], array[id] @> '{1}', array[1.5::numeric(5,2)] || '{2.25}', array['2020-01-01'::date] || '{2021-01-01}', array[true] || '{f}', '{{1,2},{3,4}}' = array[[1,2],[3,4]], null::text[] || '{a}', (select tags from emp e where e.id = 1) || '{z}' from emp where id = 1
select tags || 'x' from emp
select array['x'] || 'a'
select null::text[] || 'a'
select tags || '{bad' from emp
select coalesce(tags, 'z') from emp
select x, x || 5 from (values ('{3,4}'), ('{1}'::int[])) t(x)
select tags from emp where id < 3 union all select '{z}' order by 1
select coalesce(jb, '{"b": 1,"a":2}'), case when id = 2 then '{"z":1,  "y":2}' else jb end, greatest('{"b":1,"a":2}'::jsonb, '{"d":1,  "c":2}'), (array['{"b":1,"a":2}'::jsonb, '{"d":1,  "c":2}'])[2] from docs order by id
select case when id = 1 then '{"b": 1, "a": 2}' else jb end = '{"a": 2, "b": 1}' from docs order by id
select coalesce(jb, '{bad}') from docs
select x -> n, x = '{"c":2,"d":1}' from (values ('"s"'::jsonb, 0), ('5', 0), ('{"d":1,  "c":2}', 1)) t(x, n)
select jb from docs where id < 2 union all select '{"d":1,  "c":2}'
select x -> 0, x ->> 'd' from (select jb from docs union all select '{"d":1,  "c":2}' union all select null) t(x)
with c as (select jb from docs union all select '"d"' union all select '[4]') select jb -> 0, jb = '"d"' from c where jb is not null
select * from (select id, hired from emp where id < 3) e union all select '9', '2026-01-02' order by 1
select hired + 1 from (select hired from emp union all select '2026-01-02') t order by 1
select overlay('abc' placing 'x' from a for b), overlay('abc' placing 'x' from 1 for null), overlay(null placing 'x' from 0), overlay('abc' placing null from 0 for 1), overlay('abc' placing 'x' from -1 for b) from (values (1, null::int), (null, 1), (1, 1), (2, 0), (2, -9)) t(a, b) where b is null
select overlay('abc' placing 'x' from a for b) from (values (1, null::int), (null, 1), (1, 1), (2, 0), (2, -9)) t(a, b)
select width_bucket(x, low, high, n) from (values (1.0::float8, null::float8, 2::float8, 3), (1, 0, null, 3), (1, 0, 2, null), (null, 0, 2, 3), (null, 1, 1, 0), (1, 0, 2, 3), (3, 2, 0, 3), (5, 0, 2, 3), (2, 2, null, -1)) t(x, low, high, n)
select width_bucket(1, null, 2, 3), width_bucket(null, 1, 1, 3), width_bucket(1, 1, 2, null), width_bucket(null::int, array[1, null]), width_bucket(1, null::int[]), width_bucket(2, array[1, 3])
select b = '\x00ff', b <> '\x00', b in ('\x00ff'), b between '\x00' and '\xff', nullif(b, '\x00ff'), coalesce(b, '\x0102'), greatest(b, '\x0102'), b = any('{"\\x00ff"}'), '\x00ff' in (select b from (values ('\x00ff'::bytea)) u(b)), case b when '\x00ff' then 1 end, b is distinct from '\x00ff' from (values ('\x00ff'::bytea), (null)) t(b)
with c as (select distinct b from (values ('\x00ff'::bytea), ('a')) t(b)) select count(*) from c where b = '\x00ff' or b = 'a'
select salary = '4500.254', salary in ('4500.254'), salary < '4500.254', salary between '4500.246' and '4500.249', case salary when '4500.254' then 1 when '4500.25' then 2 end, salary = any('{4500.254}'), nullif(salary, '4500.254'), (salary, id) = ('4500.254', '3'), salary = '450025e-2' from emp order by id
select max(salary) = '6000.004', sum(salary) > '9000.501' from emp group by dept order by dept
select active = 'on', active in ('off', 'no'), coalesce(active, 'ye'), case when id = 4 then 'off' else active end from emp order by id
select greatest(i, '1 hour')::text, least(i, '2 days')::text, i = '24 hours', nullif(i, '24 hours')::text, 'x' || i, i || ' 2 ' from (select interval '1 day' as i) t
select ' 1.5 ' || salary, salary || ' 1.50 ', 'on' || active, '\x41' || '\x42'::bytea from emp where id = 1
select round(score), round(-score), round(score * 1.0), round(sum(score)) from emp group by score order by score
select round(salary) from emp where id in (1, 3) order by id
select round(x) from (select score + 1 as x from emp) q order by 1
select round((select score from emp where id = 2) + 0.25), round(x) from (values (2.5::float8), (-0.5), (1.5)) t(x)
select round(percentile_cont(0.5) within group (order by id)) from emp where id in (2, 3)
select s::float8 from (values ('0e-500'), ('1e-300'), ('inf'), (' 1.5 '), ('4e-324')) t(s)
select percentile_disc(null) within group (order by salary), percentile_disc(0.5) within group (order by name) from emp
select id from emp e where exists (select d.id as dept from dept d where dept = 2) order by id
select e.id, x.n from emp e, lateral (select d.id as dept, dept as n from dept d where d.id = 1) x order by e.id
select e.id, (select max(d.id) as dept from dept d having dept = 2) from emp e order by e.id
select e.id, (with c as (select d.id as dept from dept d where dept = 1) select count(*) from c) from emp e order by e.id
select count(*) from (select id, 1 as a from emp) x natural join (select id, 2 as "A" from dept) y
select * from (select id, 1 as a from emp) x natural join (select id, 2 as "A" from dept) y order by 1
select has_column_privilege('emp', 'name', 'SELECT'), has_column_privilege('pg_class', 'relname', 'SELECT')
select has_column_privilege(c.oid, a.attname, 'SELECT'), has_column_privilege(c.oid, a.attnum, 'SELECT') from pg_class c join pg_attribute a on a.attrelid = c.oid where c.relname = 'dept' and a.attnum > 0 order by a.attnum
select regexp_replace('baaac', 'a*', '-', 'g'), regexp_replace('aaa', '(a)?(b)?', '[\1\2]', 'g'), regexp_replace('a1b22', '[0-9]*', '#', 'g'), regexp_replace('xyz', '', '-', 'g'), regexp_replace('abc', 'b*', null, 'g')
select regexp_replace(s, 'x*', '-', 'g'), regexp_replace(s, '\s*', '_', 'gi') from (values ('axb'), (null), (''), ('xx'), ('a b')) t(s)
select d.id, count(e.*), count(e) from dept d left join emp e on e.dept = d.id group by d.id order by d.id
select d.id from dept d left join emp e on e.dept = d.id where e.* is null or (e.*) is null order by d.id
select count(emp.*), count(emp.*) filter (where id > 2) from emp
select d.id, (select count(e.*) from emp e where e.dept = d.id) from dept d order by d.id
select count(distinct x.*), count(x.*) from (values (1, 'a'), (1, 'a'), (null, null)) x(a, b)
select row_to_json(x.*), to_json(x.*) from (select 1 a, 'b' b) x
select 1 where exists (select)
select t ~ 'a.b', t ~* 'A.B', t !~ 'a.b', t !~* 'A.B', t ~ '.', t ~ 'a$', t ~ '^b' from (values (E'a\nb'), (E'\n'), ('axb'), ('a'), (null)) v(t) order by t
select t ~ p, t !~ p, t ~* p from (values (E'a\nb'), ('a.b')) v(t), (values ('a.b'), ('b$')) q(p) order by t, p
select t ~ '$ab', t ~ 'a^b', t ~ '^a^b', t !~ 'ab$(?:a)', t ~ '^ab', t ~ 'ab$', t ~ '^ab$', regexp_like(t, '$ab'), substring(t from '$ab'), regexp_match(t, 'a^b') from (values ('ab'), ('abab'), ('a^b'), ('$ab'), (null)) v(t) order by t
select t ~ '[$]ab', t ~ '\$ab', t ~ '[^^]b', t ~ 'a(^|b)', t ~ '(a|$)b' from (values ('ab'), ('$ab'), ('^b')) v(t) order by t
select * from regexp_split_to_table('a,b,c', ',') with ordinality as x(v, n)
select * from string_to_table('a,b,,c', ',', '') with ordinality as x(v, n)
select * from regexp_matches('a1b2', '[a-z](\d)', 'g') with ordinality as x(v, n)
select * from regexp_matches('A1b2', '[a-z](\d)', 'gi') with ordinality as x(v, n)
select * from jsonb_path_query('[1,2,3]', '$[*]') with ordinality as x(v, n)
select * from rows from (generate_series(1,2), unnest(array['a','b','c'])) with ordinality as x(a, b, n)
select * from rows from (regexp_split_to_table('a,b', ','), generate_series(1,4)) with ordinality as x(a, b, n)
select t.a, u.* from (values ('a,b'),('c'),(null),('')) t(a), regexp_split_to_table(t.a, ',') with ordinality u(v, n) order by 1, 3
select t.a, u.* from (values ('a,b'),('c'),(null)) t(a) left join lateral string_to_table(t.a, ',') with ordinality u(v, n) on true order by 1, 3
select u.n, count(*) from (values ('a b c'),('d')) t(a), regexp_split_to_table(t.a, '\s+') with ordinality u(v, n) group by 1 order by 1
select * from upper('x') with ordinality as x(v, n)
select regexp_replace('aXbX','X|$','-','g'), regexp_replace('aXb','X|$','-','g'), regexp_replace('','X|$','-','g'), regexp_replace('X','X|$','<\&>','g')
select regexp_replace('foo  ', '\s*$', '!', 'g'), regexp_replace('foo', '\s*$', '!', 'g'), regexp_replace('aXbX','X?$','-','g'), regexp_replace('aXb','b$|$','-','g')
select x, regexp_replace(x,'(X)|$','<\1>','g') from (values ('aX'),(''),('X'),('b'),(null)) v(x)
select regexp_replace('aXbX','X|$','-',1,0), regexp_replace('aXbX','X|$','-',1,1), regexp_replace('aXbX','X|$','-',1,2), regexp_replace('aXbX','X|$','-',1,3), regexp_replace('aXbX','X|$','-',1,4), regexp_replace('aXbX','X|$','-',3,0)
select regexp_count('abc','$'), regexp_count('aXb','X|$'), regexp_count('aXbX','X|$'), regexp_count('','$'), regexp_count('abc','c?$'), regexp_count('ab cd','\y')
select regexp_instr('aXbX','X|$',1,3), regexp_substr('aXb','X|$',1,2), regexp_substr('aXb','X|$',1,3), regexp_instr('aXb','X|$',1,2), regexp_instr('aXb','X|$',1,3)
select t::integer[], t::bigint[] from (values ('{1,2}'), ('{}'), (null), (' { 3 , NULL , -4 } ')) v(t)
select t::text[], cardinality(t::text[]), (t::text[])[2] from (values ('{a,"b c",NULL,"null"}'), ('{"a\"b",c\,d," x "}'), ('{}')) v(t)
select t::numeric(4,1)[], t::float8[] from (values ('{1.5,2}')) v(t)
select t::date[], t::boolean[] is null from (values (null)) v(t)
select t::date[] from (values ('{2020-01-01,"2020-02-03"}')) v(t)
select t::boolean[] from (values ('{t,f,on,null}')) v(t)
select t::int[][] from (values ('{{1,2},{3,4}}')) v(t)
select 5 = any(t::int[]), t::int[] @> array[1] from (values ('{1,5}'), ('{2}')) v(t)
select json_object(array['a','1','b','2'])::text, json_object('{a,1,b,2}')::text, json_object('{a,b}', '{1,2}')::text, json_object(array['a','b'], array['1',null])::text
select json_object(array[['a','1'],['b',null]])::text, json_object('{}')::text, json_object(null) is null
create table returned_types (id int, b smallint, v varchar(8), s text, d double precision, tags text[], j jsonb, ts timestamp(3))
insert into returned_types values (1, 2, 'v', 's', 1.5, '{a,"b c"}', '{"b":1}', '2024-01-02 03:04:05.6789') returning *
insert into returned_types (id, tags, d, j) values (2, '{a}', 1, '{"b":1}'), (3, null, 2, null) returning tags::text, d::text, 'x' || d, tags || 'q'::text, j || '{"z":1}', concat(tags, d), b, v, s, ts
insert into returned_types (id, tags, b) select 4, array['x'], 7 returning tags::text, b, b + 1, v
update returned_types set s = tags::text || d, b = 3 where id = 1 returning s, tags::text, tags || 'q'::text, j || '{"z":1}', b, v
update returned_types set v = 'w' where id = 1 returning id, b, v, j, concat(tags, d), ts
delete from returned_types where id < 4 returning id, b, v, j, tags::text, tags || 'q'::text
drop table returned_types
select 'abc' ~ any(array['x','b']), 'abc' ~* any(array['X','B']), 'abc' !~ all(array['x','y']), 'abc' ~ all(array['a','b']), 'abc' !~* any(array['A'])
select t ~ any(p), t !~ all(p), t ~* some(p) from (values ('abc', array['^a','z']), ('q', array['^a','z']), (null, array['a']), ('a', null), ('a', array[null,'b']), ('a', array[null,'a'])) v(t,p)
select t from (values ('abc'),('q'), ('a.c')) v(t) where t ~ any('{^a,z}') and not t ~ any(array['\.'])
select 'abc' ~any (array['b']), not 'abc' ~ any (array['b', null])
select array_position(array[1,2,1,3], 1, 2), array_position(array['a','b','a'], 'a', 2), array_position(array[1,2,1,3], 1, 4), array_position(array[1,2,null,3], null, 2), array_position(array[1,2,1], 1), array_position(null::int[], 1, 1)
select array_position(null::int[], 1, null), array_position(null::int[], null, null)
select mod(null::numeric, 1.25::numeric), pg_size_pretty(null::bigint), array_dims(null::int[]), round(1.25::numeric, null::int), trunc(1.25::numeric, null::int), regexp_substr('a', 'b', 2, null::int)
select to_number('12', null), to_char(1, null), to_date(null, 'x'), to_date('x', null), to_timestamp('x', null), regexp_match('abc', null), regexp_match(null, 'abc'), regexp_match('abc', 'a', null)
select format(null, 1), format(null), format('%s', null), regexp_replace('a', 'b', 'c', null), regexp_split_to_array('abc', null), to_number(null, null)
select jsonb_path_query('{"a":1}'::jsonb, null)
select jsonb_path_exists('{"a":1}'::jsonb, null), jsonb_path_query_array('{"a":1}'::jsonb, null), jsonb_path_query_first(null, '$.a')
select '{"a":[1,2]}'::jsonb @> null, null::jsonb @> '{"a":[1,2]}', null::jsonb ? 'b', null::jsonb ?| array['b'], '{"a":1}'::jsonb <@ null, '{"a":1}'::jsonb @? null
select lag(null, 2, 2) over (), lead(null, 1, 'x') over ()
select json_object(null, null)::text, json_object('{a,b}'::text[], null)::text
select set_config('a.b', null, false)
select substring('foobar' similar '%#"o_b#"%' escape '#'), substring('foobar' from 'foo#"%#"' for '#'), substring('abc' similar 'x' escape '#'), substring('foobar' similar 'fo{2}%' escape '#'), substring('abc' similar null escape '#'), substring('abc' similar 'x' escape null)
select substring('abcdefg' similar 'a#"%#"x|g' escape '#'), substring('abcdefg' similar '%#"(b_d)#"%' escape '#'), substring('b'::text, null::text)
select substring(x from p::text) from (values ('foo123', '[0-9]+'), ('foo123', 'o(\d)'), ('foo', '\(x'), ('a(b', '\((b)'), ('abc', null)) v(x, p)
select string_agg(x, s), string_agg(x, s order by x desc), string_agg(x, s) filter (where x <> 'a'), string_agg(x, s) filter (where x = 'z') from (values ('a', ','), ('b', ';'), (null, '-'), ('c', null), ('d', '|')) v(x, s)
select string_agg(x, s) over (order by x), string_agg(x, upper(s) || '-') over () from (values ('a', ','), ('b', ';'), ('c', '-')) v(x, s)
select string_agg(x::bytea, s::bytea) from (values ('a', ','), ('b', '\x5c')) v(x, s)
select round(x, n)::float8, trunc(x, n)::float8 from (values (1234.5678::numeric, 2), (1234.5678::numeric, -2), (-1234.5678::numeric, null), (99.99::numeric, 9), (99.99::numeric, -40), (null, 1), (-2.5::numeric, 0)) v(x, n)
select overlay('\x0102030405'::bytea placing '\xff'::bytea from 2 for 3), overlay('\x0102030405'::bytea placing '\xff'::bytea from 2), overlay('\x0102'::bytea placing '\xffff' from 2 for 0), overlay(null::bytea placing '\xff'::bytea from 2)
select position('\x02'::bytea in '\x010203'::bytea), position('\x10'::bytea in '\x0100'::bytea), position(''::bytea in '\x0100'::bytea), position('\x09' in '\x0100'::bytea), position(null in '\x01'::bytea)
select trim('\x00'::bytea from '\x000100'::bytea), trim(leading '\x00'::bytea from '\x000100'::bytea), trim(trailing '\x00'::bytea from '\x000100'::bytea), trim(both '\x0001'::bytea from '\x00010200'::bytea), trim(''::bytea from '\x00'::bytea)
select btrim('\x000100'::bytea, '\x00'::bytea), ltrim('\x000100'::bytea, '\x00'::bytea), rtrim('\x000100'::bytea, '\x00'), ltrim('\x1001'::bytea, '\x00'::bytea), rtrim('\x1001'::bytea, '\x10'::bytea)
select trim(p from b), rtrim(b, p), position(p in b), overlay(b placing p from 1 for 1)::text from (values ('\x000100'::bytea, '\x00'::bytea), (null, '\x01'), ('\x01', null)) v(b, p)
select btrim(trim('\x01'::bytea from '\x010001'::bytea), '\x00') = ''
select ('{1,"{\"a\": 1}"}'::jsonb[])[2], array_length('{1,2}'::jsonb[], 1), null::jsonb[] is null, unnest('{1,"{\"b\":1,\"a\": [2 ]}"}'::jsonb[]) -> 'a'
select e ->> 'a' from unnest(array['{"a":1}','{"a":2}']::jsonb[]) e
select x.* from unnest(array['a', 'b']) with ordinality as x(v, n)
select t.*, x.*, x.n from (values (1, array['a', 'b'])) t(a, l), unnest(t.l) with ordinality x(v, n) order by x.n
select count(x), max(x.n) from generate_series(5, 6) with ordinality as x(v, n)
select to_char((select date '2020-01-02'), 'YYYY-MM-DD Mon DY Q'), to_char((select interval '26 hours'), 'HH24:MI'), to_char((select 12.5), '99.99')
select a, to_char((select date '2020-01-02' + a), 'YYYY-MM-DD TH') from (values (1), (2)) t(a) order by to_char((select date '2020-01-02' + a), 'YYYY-MM-DD')
select corr((select 15) % 9, x), corr(x, (select 15) % 9) from (values (1), (2)) v(x)
select g, stddev_pop((select y from (values (1.5::float8)) w(y) where r.x > 0)) filter (where x > 0) from (values (1, 'a'), (2, 'b')) r(x, g) group by g order by g
select concat(1 = any('{1,2}'::int[]), exists(select 1), 3 in (select 4))
