-- Queries whose rows are those of PostgreSQL, and whose columns have other types or names, one per line.
select 1e308*10
select 1e-400
select 1e308+1e308
select sum(x) from (values (1e308),(1e308)) v(x)
select (1, 'a')
select row(1, null, 'x y', true)
select (1,(2,3))
select (1,('a b',(3,(4,'c,d'))))
select array[(1,'a'),(2,'b')]
select interval '2 months'
select interval '1 year 2 months 3 days 04:05:06.7'
select interval '-1 month', interval '1 mon', interval '-1 day -02:03', interval '100 hours'
select interval '1 year', interval '2 years', interval '0'
select age(timestamp '2024-03-01', timestamp '2023-01-15')
select timestamp '2024-03-01' - timestamp '2023-01-15'
select array[interval '1 month']
select upper('aé'), lower('AÉ'), initcap('hello wORLD-x'), length('aé'), char_length('é'), octet_length('é'), bit_length('é')
select left('hello', -2), right('hello', -2), lpad('x', 5, 'ab'), rpad('x', 0), ltrim('xxa', 'x'), rtrim('axx', 'x'), trim(both 'x' from 'xax'), trim(leading from '  a')
select position('l' in 'hello'), strpos('hello', 'z'), split_part('a,b,c', ',', -1), reverse('aé'), repeat('ab', 3), translate('abc', 'ab', 'x')
select char 'a', varchar 'b', 'abc'::char(2), 'abc'::varchar(2), 'a'::char(3) || 'x', length('a'::char(3))
select strpos('', ''), substr('abc', 0, 2), substr('abc', -1, 3), substring('abc', 2), left('abc', 0), repeat('a', -1)
select char_length('  '), character_length('x'), ascii(''), chr(65)
select date '2024-02-29' + 1, date '2024-02-29' - 7, date '2024-03-01' - date '2024-02-28', date '2024-01-31' + interval '1 month', timestamp '2024-01-31' + interval '1 month', date '2024-01-01' + time '03:04'
select extract(year from date '2024-02-29'), extract(quarter from date '2024-02-29'), extract(week from date '2024-12-30'), extract(isoyear from date '2024-12-30'), extract(doy from date '2024-02-29'), extract(dow from date '2024-02-29'), extract(isodow from date '2024-03-03')
select extract(epoch from timestamp '2024-02-29 12:00:00.5'), extract(epoch from date '2024-02-29'), extract(epoch from timestamptz '2024-02-29 00:00:00+01'), extract(epoch from interval '1 month 1 day'), extract(microseconds from time '01:02:03.5'), extract(milliseconds from timestamp '2024-01-01 00:00:01.5')
select extract(century from date '2000-12-31'), extract(decade from date '2024-01-01'), extract(millennium from date '2001-01-01'), extract(julian from date '2024-01-01'), extract(second from timestamp '2024-01-01 00:00:01.25')
select extract(timezone from timestamptz '2024-01-01 00:00+02'), extract(timezone_hour from timestamptz '2024-01-01 00:00+02'), extract(hour from interval '25 hours'), extract(day from interval '40 days'), extract(month from interval '14 months'), extract(year from interval '-14 months')
select date_part('year', date '2024-02-29'), date_part('dow', timestamp '2024-02-29'), date_part('epoch', interval '2 days')
select age(date '2024-03-01', date '2023-12-31'), age(timestamp '2023-01-01', timestamp '2024-03-15 10:00')
select make_date(2024, 2, 29), make_time(1, 2, 3.5), make_timestamp(2024, 2, 29, 1, 2, 3.5), make_interval(years => 1, days => 3), make_interval(1, 2), make_timestamptz(2024,2,29,1,2,3.5,'UTC')
select justify_days(interval '35 days'), justify_hours(interval '27 hours'), justify_interval(interval '1 mon -1 hour')
select timestamp '2024-02-29 12:00' - timestamp '2024-02-28 10:30', timestamptz '2024-02-29 12:00+00' - timestamptz '2024-01-29 12:00+00', timestamp '2024-01-01' - interval '1 second'
select * from generate_series(1, 0)
select * from generate_series(1, 3) with ordinality as t(v, n)
select max(at), min(at), count(at), avg(n) from ev
select at::date, at::time, atz::date, atz at time zone 'Asia/Kolkata' from ev order by id
select extract(day from at - timestamp '2024-01-01') from ev order by id
select date_part('month', hired), count(*) from emp group by 1 order by 1
select hired + 30, hired - date '2020-01-01', hired - interval '1 day', hired::timestamp from emp order by id
select array_length(array[1,2],1), cardinality(array[[1,2],[3,4]]), array_upper(array[1,2],1), array_lower(array[1,2],1), array_length(array[]::int[],1), cardinality('{}'::int[])
select generate_subscripts(array['a','b'],1)
select id, row_number() over (order by id desc), rank() over (order by dept), dense_rank() over (order by dept), percent_rank() over (order by id), cume_dist() over (order by id), ntile(2) over (order by id) from emp order by id
select id, sum(salary) over (partition by dept order by id), avg(salary) over w, count(*) over () from emp window w as (partition by dept) order by id
select sum(sum(id)) over () from emp group by dept order by 1
select count(*), count(dept), count(distinct dept), sum(id), avg(id), min(name), max(name), sum(salary), avg(salary), sum(score), avg(score) from emp
select stddev(id), stddev_pop(id), variance(id), var_pop(id), corr(id, score), covar_pop(id, score), regr_slope(score, id), regr_count(score,id) from emp
select avg(distinct dept), sum(distinct dept) from emp
select min(date '2024-01-01'), max(interval '1 day')
select sum(salary)::int, round(avg(salary), 2), avg(salary)::numeric(10,2) from emp
select extract(day from (at - timestamp '2024-01-01')) from ev order by id
select extract(day from at) from ev order by id
select extract(day from ev.at - timestamp '2024-01-01') from ev order by id
select at - timestamp '2024-01-01' from ev order by id
select interval '1 day' * 2, interval '1 day' * 0.5, 2.5 * interval '1 hour', interval '1 month' * 1.5
select - interval '1 day'
select interval '1-2'
select interval '1 2:03'
select interval 'P1Y2M3DT4H5M6S'
select interval '5' day
select interval '1.5 days', interval '3 weeks', interval '1 year' + date '2024-02-29'
select interval '1 decade', interval '2 centuries', interval '1 week ago', interval '3 days ago'
select '24:00'::time, '12:34:56.789'::time
select * from (select * from emp e join dept d on e.dept = d.id) q order by 1
select sum(c) from (select sum(id) c from emp group by dept) q
select (values (1))
select '1'::int, ' 1 '::int, '1.5'::numeric, '1e3'::float8, 't'::bool, 'yes'::bool, 'off'::bool, '0'::bool
select 1::numeric, 1.10::numeric, 1.10::numeric(4,2)::text, 1e10::numeric, 0.1::numeric + 0.2::numeric, 1::numeric/3
select '2024-01-01'::timestamp, '2024-01-01'::timestamptz, '2024-01-01 12:00'::date, '12:00'::interval, '1'::interval
select cast('1' as integer), cast(1 as text), int '1', integer '2', float8 '1.5', bool 't', numeric '1.5', date '2024-01-01'
select gen_random_uuid() is not null, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
select 'a'::name, 1::oid, 'emp'::regclass, 'int4'::regtype
select '1'::char
select abs(-1), sign(-2.5), ceil(1.2), ceiling(-1.2), floor(1.8), round(1.5), round(2.5), round(-1.5), round(1.255::numeric, 2), round(1234, -2), trunc(1.99), trunc(1.999::numeric, 2)
select mod(7, 3), mod(-7, 3), 7 % -3, power(2, 3), 2 ^ 3, sqrt(16), cbrt(27), exp(0), ln(1), log(100), log(2, 8), log10(1000), pi(), degrees(pi()), radians(180)
select 7/2, -7/2, 7/2.0, 7::numeric/2, 1/3::float8, 5 & 3, 5 | 3, ~5, 1 << 4, 16 >> 2, gcd(12, 18), lcm(4, 6), factorial(5)
select 1.5 % 0.4, 5.5::numeric % 2, mod(5.5, 2)
select .5, 5., 1.e2, 1e-2
select ceil(-0.5), trunc(-0.5), -0.0, 0.0 = -0.0
select 1::int / 2::numeric, 1::bigint / 2::real, 1.5::real + 1, 1::smallint + 1::smallint
select numeric '1.50' * 2, numeric '1.5' * numeric '1.5', numeric '10' / numeric '4', sum(x) from (values (1.5::numeric),(2)) v(x)
select @ -5, @ (-5.5), |/ 4, ||/ 27
select * from (select 1 a, 2 a) q
select * from (select e.id, d.id from emp e join dept d on e.dept = d.id) q order by 1
with q as (select 1 a, 2 a) select * from q
select interval '1 day' / 2
select interval '1 month' / 2, interval '10 hours' / 3, interval '1 day' / 0.5, interval '3 days 04:00' / 2
select interval '1 day' / 0
select sum(i) from (values (interval '1 day'), (interval '2 hours'), (null)) v(i)
select avg(i) from (values (interval '1 day'), (interval '2 days'), (null)) v(i)
select sum(i), avg(i) from (select interval '1 day' i where false) v
select sum(i) from (values (interval '1 month 3 days'), (interval '2 months -05:00')) v(i)
select avg(i) from (values (interval '1 month'), (interval '2 months')) v(i)
select sum(at - timestamp '2023-01-01'), avg(at - timestamp '2023-01-01') from ev
select time '10:30' - time '09:15', time '01:00' - time '02:30', time '10:00' + interval '2 hours', time '10:00' - interval '11 hours'
select (time '10:30' - time '09:15')::text
select d.name, (with n as (select length(d.name) as l) select (select l from (select * from n) q where substr(d.name, l, 1) = 's')) from dept d order by 1
select d.name, (with n as (select length(d.name) as l) select (select max(l) from (select l from n union all select l + 10 from n) q where l > length(d.name))) from dept d order by 1
select d.name, x.* from dept d, lateral (with n as (select length(d.name) as l), m(k) as (select l + 1 from n) select (select k from (select * from m) q where k > length(d.name)) as e) x order by 1
select d.name, x.* from dept d, lateral (with n as (select length(d.name) as l) select y.* from n, lateral (select n.l + length(d.name) + z.l as s from n z) y) x order by 1
select d.id, (with a as (select id from emp where id > d.id), b as (with a as (select 7 as id) select id from a) select (select sum(id) from b) + (select count(*) from a where a.id > d.id + 1)) from dept d order by 1
select t.s::time from (values ('10:00:00'), ('09:30'), ('10:00:00.25'), (null)) t(s)
select extract(year from date '0044-03-15 BC'), extract(isoyear from date '0044-03-15 BC'), extract(decade from date '0044-03-15 BC'), extract(year from date '0001-12-31 BC'), date_part('year', timestamp '0044-03-15 10:00 BC'), extract(year from interval '-14 months'), extract(decade from date '1999-01-01'), extract(century from date '0044-03-15 BC')
select date_trunc('century', timestamp '0044-03-15 10:00 BC'), date_trunc('decade', timestamp '0044-03-15 10:00 BC'), date_trunc('millennium', timestamp '0044-03-15 10:00 BC'), date_trunc('century', timestamp '2000-06-01'), date_trunc('decade', timestamp '1999-06-01'), date_trunc('millennium', timestamp '2001-01-01'), date_trunc('century', interval '1 day 02:03'), date_trunc('millennium', interval '1500 years'), date_trunc('century', timestamptz '2000-06-01 00:00+00', 'Asia/Tokyo')
select extract(millisecond from timestamp '2024-02-29 23:59:59.123456'), extract(milliseconds from interval '1.5 seconds'), date_part('milliseconds', time '01:02:03.0405')
select to_date('69-01-01', 'YY-MM-DD'), to_date('70-01-01', 'YY-MM-DD'), to_date('99-01-01', 'YY-MM-DD'), to_date('02-29', 'MM-DD'), to_timestamp('18:07', 'HH24:MI')
select to_char(timestamp '1969-12-31 23:59:59.999999', 'J'), to_char(timestamp '2024-02-29', 'FMMS FMUS')
select to_char(1234567.891, '999.99'), to_char(12.5, 'FM9.99'), to_char(0.05, 'FM0.999')
select '10:00 pm'::time, '12:00 am'::time, '12:30 PM'::time, '23:59:60'::time, 'T10:00'::time, '10:00+02'::time, '01:02:03.1234567'::time, '1:2:3'::time
select x from generate_subscripts(array[5,6,7], 1, true) x
select x from generate_subscripts(array[5,6,7], 1, false) x
select * from generate_series(1, 3, null)
select s::time from (values ('00:00:00.1234567'), ('00:00:00.1234565'), ('23:59:59.9999999')) t(s)
select regexp_substr('foobarfoobaz', 'foo(ba.)', 1, 2, '', 1), regexp_substr('ABCABC', 'b', 1, 2, 'i'), regexp_substr('abc', 'b', 3), regexp_count('abcabc', 'B', 1, 'i'), regexp_count('abcabc', 'b', 3)
select generate_series(1, 3, null), generate_series(3, 1, -1)
select s::time from (values ('00:00:00.1234567'), ('00:00:00.1234565'), ('23:59:59.9999999'), ('10:59:59.9999999'), ('1:2:3.00000049')) t(s)
select '2024-12-31 23:59:59.9999999'::date, '2024-12-31 23:59:59.9999995'::timestamp, '10:00:00.0000005'::time, '10:00:00.0000015'::time
select interval '100 hours 5 min 6.789', interval '1 day 2', interval '3 days 4:05', interval '1 year 2 days 3:04:05.5', interval '-3', interval '2 hours -3'
select greatest(interval '364 days 12:30:00', interval '3 mons 20 days'), least(interval '364 days 12:30:00', interval '3 mons 20 days', null, interval '-1 year'), greatest(null, interval '1 day'), greatest(null::interval, null), greatest(interval '100 days', interval '2 mons', interval '99 days 25:00'), least(interval '1 month', interval '30 days'), greatest(time '10:00', time '09:00')
select i from (values (interval '364 days'), (interval '3 mons 20 days'), (interval '-1 year'), (interval '45 days 25:00'), (interval '1 mon 15 days'), (null)) t(i) order by i
select greatest(a, b), least(b, a) from (select at - timestamp '2023-01-01' as a, interval '3 months' as b, id from ev) q order by id
select sum(justify_days(i)), justify_hours(i)::text from (values (interval '35 days'), ('27 hours')) t(i) group by i order by i
select interval '-1 day +2 hours', interval '+1 day', interval '-1 days +02:00:00', interval '1 year -2 mons +3 days -04:05:06', '-1 days +02:00:00'::interval
select hired - '2020-01-01', date '2024-01-01' - '2023-12-31' from emp order by id
with recursive r(n, x) as (select id, overlay(name placing null::text from 2) from emp union select n + coalesce(length(x), 0) + 5, left(x || 'a', 3) from r where n < 9) select n, x from r order by n
select to_number('12', '99') union all select 1234567890.123456::numeric(20, 6) order by 1
select 'abc' similar to 'abc' escape null, 'abc' not similar to 'abc' escape null
select 'a%c' similar to 'a#%c' escape '#' and 'x' like 'x', 'a#c' similar to 'a##c' escape '#', 'a#bb' similar to ('a##%') escape '#', 'a\c' similar to 'a\c' escape '#'
select 'a%c' similar to p escape e from (values ('a#%c', '#'), ('a%c', '#'), ('a$%c', '$'), (null, '#'), ('a', null)) t(p, e)
select regexp_split_to_array('the quick', '\s*'), regexp_split_to_array('baaac', 'a*'), regexp_split_to_array('aab', 'a*'), regexp_split_to_array('baa', 'a*')
select regexp_split_to_table('  ab c', '\s*')
select generate_subscripts(array[1, 2, 3], 1, true)
select generate_subscripts(array[[1, 2, 3], [4, 5, 6]], 2), generate_subscripts(array[[1, 2, 3], [4, 5, 6]], 2, true)
select generate_subscripts(array[1, 2, 3], 2)
select regexp_replace('A PostgreSQL function', 'a|e|i|o|u', 'X', 1, 0, 'i'), regexp_replace('A PostgreSQL function', 'a|e|i|o|u', 'X', 1, 3, 'i')
select regexp_replace('A PostgreSQL function', 'a|e|i|o|u', 'X', 3), regexp_replace('A PostgreSQL function', 'a|e|i|o|u', 'X', 3, 2), regexp_replace('aaa', 'a', 'b', 1, null)
select regexp_replace(s, '(a)(b)?', '<\1\2>', 2, 2) from (values ('abaab'), (null)) t(s)
select regexp_replace('abc def', 'b  c # comment', 'X', 'x'), regexp_match('abc', 'a [ b] c # x', 'x'), regexp_match('abc def', 'b c', 'x')
select timestamp '2020-01-02' - '2020-01-01', timestamptz '2020-01-02' - '2020-01-01 12:00'
select a - '2020-01-01 11:00' from (values (timestamp '2020-01-03 12:00')) t(a)
select current_date = d from current_date as d
select count(*) from current_user
select percentile_cont(null) within group (order by a) from (values (1), (2)) t(a)
select '4.9e-324'::float8, '1e-45'::real, '0e-400'::float8
select n < 'Infinity', n > '-inf', n = 'NaN', n < 'NaN', n between '-inf' and 'inf' from (select 1.5::numeric(10, 2) as n) t
select round(0.5::float8), round(2.5::float8), round(-0.5::real), round(2.5), round(-2.5::numeric), round(2.5::float8::numeric)
select round(avg(n)), round(avg(x)) from (values (2, 2.5::float8), (3, 2.5)) t(n, x)
select round(n), round(n / 4) from (values (5000.50::numeric), (10)) t(n)
select interval '1 month - 1 day', interval '1 day + 2 hours', interval '-1 day - 02:00', interval '1 year - 3 mons + 4 days', interval '- 1 day'
select (date_trunc('month', date '2024-02-10') + interval '1 month - 1 day')::date
select s::interval from (values ('1 month - 1 day'), ('1 day +2 hours'), ('- 3 days'), (null), ('1-2'), ('P1Y2M'), ('-1 2:03'), ('1 min 5')) t(s)
select normalize('é'), normalize('e' || chr(769)) = 'é', normalize('e' || chr(769), NFC) = 'é', normalize(null) is null
select timestamp '2024-01-01' + time '05:00', timestamp '2024-01-01 10:00' - time '05:30:01.5', x + t, x::timestamptz + t > x::timestamptz from (values (timestamp '2024-02-29', time '23:59'), (null, time '01:00'), (timestamp '2024-01-01', null)) v(x, t)
select d + interval '30 days', d + interval '1 month', d - interval '30 days', interval '1 month' + d from (values (date '2024-01-01'), (null)) v(d)
select ts + interval '1 year', ts + interval '360 days', ts + interval '12 mons 1 day', ts + interval '361 days' from (values (timestamp '2024-01-01 10:00')) v(ts)
select i + interval '1 month', i + interval '30 days', i - interval '720 hours', extract(day from i + interval '30 days') from (values (interval '1 day')) v(i)
select to_char(d + interval '1 month', 'DD'), count(*) from (values (date '2024-01-01')) v(d) where d + interval '30 days' < '2024-02-01' group by d + interval '1 month', d + interval '30 days'
set time zone 'America/New_York'
select tz + interval '24 hours', tz + interval '1 day', tz - interval '24 hours', tz - interval '1 day' from (values (timestamptz '2024-03-09 21:30'), ('2024-11-03 01:30')) v(tz)
select timestamptz '2024-03-11' - timestamptz '2024-03-10', date '2024-03-10' + interval '1 day' - timestamptz '2024-03-10', timestamptz '2024-12-01' - '2024-06-01'
select tz - lag(tz) over (order by tz), tz - date '2024-01-01', timestamp '2024-06-01' - tz, timestamp '2024-06-01' - timestamp '2024-01-01' from (values (timestamptz '2024-02-01'), ('2024-04-01'), (null)) v(tz)
select max(tz) - min(tz), extract(day from max(tz) - min(tz)) from (values (timestamptz '2024-02-01'), ('2024-04-01 00:30')) v(tz)
set time zone 'UTC'
drop table if exists changed
drop table if exists source_rows
drop table if exists other_source
create table changed (id int, v varchar(5), s smallint, t text)
insert into changed values (1,'a',1,'ab'),(2,'b',2,'cd'),(3,'c',3,null)
create table source_rows (id int, w varchar(7), q smallint, t text)
insert into source_rows values (1,'x',11,'t1')
create table other_source (id int, z text, q int)
insert into other_source values (1,'z1',5)
update changed set v = w from source_rows where changed.id = source_rows.id returning w
update changed set v = w from source_rows where changed.id = source_rows.id returning w, q, changed.id, v, source_rows.t
update changed set v = w from source_rows where changed.id = source_rows.id returning w || v, upper(w), (q + s) as total
update changed set v = w from source_rows where changed.id = source_rows.id returning id
update changed set v = w from source_rows where changed.id = source_rows.id returning changed.id, source_rows.id
update changed set v = w from source_rows where changed.id = source_rows.id returning *
update changed set v = w from source_rows where changed.id = source_rows.id returning changed.*
update changed set v = w from source_rows where changed.id = source_rows.id returning source_rows.*
update changed x set v = w from source_rows y where x.id = y.id returning x.v, w, y.q
update changed set v = z from source_rows, other_source where changed.id = source_rows.id and other_source.id = source_rows.id returning w, z, source_rows.q, other_source.q
update changed set v = z from source_rows, other_source where changed.id = source_rows.id and other_source.id = source_rows.id returning q
update changed set v = z from source_rows join other_source on source_rows.id = other_source.id where changed.id = source_rows.id returning w, z
update changed set s = p.n from (values (1, 5)) p(k, n) where k = id returning id, n, k, s
update changed set s = p.n from (select id as k, q as n from source_rows) p where k = changed.id returning id, n, k, s
update changed set s = g from generate_series(1,1) g where g = id returning id, g
update changed set s = 1 from source_rows where source_rows.id = changed.id returning (select max(w) from other_source where other_source.id = changed.id), w
update changed set s = 1 from source_rows where source_rows.id = changed.id returning nosuch
delete from changed using source_rows where changed.id = source_rows.id and changed.id = 1 returning w, v, q, source_rows.*
delete from changed using source_rows s1 where changed.id = s1.id returning w as a, v b, changed.id
drop table changed
drop table source_rows
drop table other_source
with recursive e(a, b) as (values (1,2),(2,3),(3,1),(3,4)), p as (select a, b, array[a, b] path from e union all select p.a, e.b, p.path || e.b from p join e on p.b = e.a where e.b <> all(p.path)) select path from p order by path
with x as (select array[1] a, 2 n, 1.5::float8 f) select x.a || x.n, x.n || x.a, x.f::text, x.f || 'a', x.a::text from x
with x as (select time '10:00' t, interval '1 day' i, date '2024-01-31' d) select x.t - time '09:00', x.i / 2, greatest(x.i, interval '25 hours'), x.d - '2024-01-01' from x
with x as (select '\x6162'::bytea b, '{"b": 1, "a": 2}'::jsonb j) select x.b || '\x63', x.j = '{"a": 2, "b": 1}', x.j || '{"c": 3}' from x
drop table if exists padded
create table padded (id int, c char(4), d char(4), v varchar(4), e char)
insert into padded values (1, 'ab  ', 'ab', 'ab  ', 'x'), (2, 'cd', 'ab ', 'cd', ' '), (3, null, '    ', '', null)
insert into padded select 4, 'ef   ' || '      ', 'ef', 'ef  ', 'y'
select id from padded where c = 'ab' order by id
select id from padded where c = 'ab   ' order by id
select id from padded where c in ('ab ', 'cd  ') order by id
select id from padded where c between 'ab ' and 'ab  ' order by id
select id from padded where c = d order by id
select id from padded where c <> 'ab ' order by id
select id from padded where v = 'ab ' order by id
select id from padded where v = 'ab' order by id
select id from padded where v = 'ab  ' order by id
select p.id, q.id from padded p join padded q on p.c = q.d order by 1, 2
select count(distinct d), count(*) from padded
select length(c), c || 'x', upper(c), d = '', d = ' ' from padded order by id
select coalesce(c, 'none ') || '!' from padded order by id
update padded set c = 'zz  ' where id = 2 returning length(c)
select id from padded where c = 'zz' order by id
select 'a '::char(3) = 'a'::char(2), 'a'::char(3) || 'b', length('a  '::char(3)), 'abc'::char(2) || 'x', cast('a ' as character(5)) || 'b', 'a '::varchar(3) || 'b', 'a '::character varying(3) || 'b'
select count(*) from (select distinct c from (values ('a'::char(2)),('a '::char(2))) v(c)) x
insert into padded values (5, 'abcde', '', '', '')
insert into padded values (5, 'abcd     ', '', '', '')
select id from padded where c = 'abcd'
alter table padded alter column v type char(4)
select id from padded where v = 'ab'
drop table padded
select interval '-49 days' > i, i, extract(epoch from i)::bigint from (values (interval '-5 mons +101 days -00:32:31')) v(i)
select a < b, a > b, a = b from (values (interval '-1 mon +29 days', interval '-1 day'), (interval '1 mon -30 days', interval '0'), (interval '-1 day +24 hours', interval '0'), (interval '1 mon -1 day', interval '29 days'), (interval '-1 mon -1 hour', interval '-30 days -30 min'), (interval '1 day -1 hour', interval '23 hours 1 min'), (interval '-5 mons +101 days -00:32:31', interval '-49 days'),(interval '-5 mons +101 days -00:32:31', interval '-49 days -1 hour')) v(a,b) order by 1, 2
select a from (values (interval '-1 mon +29 days'), (interval '1 mon -30 days'), (interval '-1 day +24 hours'), (interval '1 mon -1 day'), (interval '-1 mon -1 hour'), (interval '1 day -1 hour'), (interval '-5 mons +101 days -00:32:31'),(interval '-49 days'), (interval '-48 days'), (interval '-5 mons +101 days'), (interval '2 mons -49 days'), (interval '11 days -00:00:01'), (interval '10 days 23:59:58')) v(a) order by a
select max(a), min(a) from (values (interval '-5 mons +101 days -00:32:31'),(interval '-49 days'), (interval '-48 days 23:00')) v(a)
select interval '-49 days' > interval '-5 mons +101 days -00:32:31'
select interval '1 mon' / 3, interval '10 days' / 7, interval '1637 days 12:16:22.4' / 3, interval '1 year 1 day' / 7, interval '100 hours' / 7, interval '-5 mons 3 days' / 4, interval '1 sec' / 3, interval '1 day' / 0.7
select interval '1 mon' * 0.3, interval '10 days' * 1.7, interval '1637 days 12:16:22.4' * 0.33, interval '1 year 1 day' * 1.1, interval '-5 mons 3 days' * 0.25, interval '1 sec' * 0.333333, interval '1 mon 1 day 1 hour' * -1.5
select avg(i) from (values (interval '1637 days 12:16:22.4'),(interval '13 days'),(interval '-7 days 1.1 sec')) v(i)
select avg(i) from (values (interval '1 mon'),(interval '1 day'),(interval '1 hour')) v(i)
select avg(i), sum(i) / count(*) from (values (interval '1 day'),(interval '1 day'),(interval '1 hour 1 sec')) v(i)
select a, b, a < b, a > b, a = b, a >= b, a <> b, a is distinct from b, greatest(a, b), least(a, b) from (values (interval '-1 mon +29 days', interval '-1 day'), (interval '1 mon -30 days', interval '0'), (interval '1 mon -1 day', interval '29 days'), (interval '1 day -1 hour', interval '23 hours 1 min'), (interval '-5 mons +101 days -00:32:31', interval '-49 days -1 hour'), (null, interval '1 day')) v(a,b) order by 1, 2
select interval '1 mon' - interval '1 day' > interval '29 days', interval '1 mon -1 day' = interval '29 days', interval '1 day' < interval '25 hours', interval '1 mon -1 day' between interval '28 days' and interval '29 days'
select i from (select n * interval '1 month' - interval '40 days' as i, n from generate_series(1, 3) n) x where i > interval '-11 days' order by n
select a.x from (values (interval '1 mon -1 day')) a(x) join (values (interval '29 days')) b(y) on a.x = b.y
select interval '1 mon -1 day' in (interval '29 days', interval '3 days')
select sum(i) > interval '29 days', avg(i) < interval '16 days', avg(i)::text, avg(i) filter (where i > interval '1 day') from (values (interval '1 mon -1 day'), (interval '3 hours')) v(i)
select avg(i) over (order by i) from (values (interval '1 day'), (interval '2 days 00:00:00.000001'), (null)) v(i)
select avg(i) from (values (interval '1 day')) v(i) where false
select avg(distinct i) from (values (interval '1 day'), (interval '1 day'), (interval '2 days')) v(i)
set time zone 'America/New_York'
select tz::time, cast(tz as time), tz::time::text, tz::time - time '01:00', tz::time < '12:00', date_trunc('hour', tz::time) from (values (timestamptz '2024-03-10 02:30+00'), ('2024-07-01 12:00'), (null)) v(tz)
select time '10:00' + timestamp '2024-01-01', time '01:00' + timestamptz '2024-03-10 00:30', date_trunc('minute', time '10:20:30.5'), date_trunc('hour', null::time)
select tz at time zone interval '-5 hours', tz at time zone interval '5:30', timezone(interval '+1 hour', tz) from (values (timestamptz '2024-03-10 02:30+00')) v(tz)
set time zone 'UTC'
select x'1F'::int, x'1F'::bigint, b'101'::int, X'ff'::integer, x'FFFFFFFF'::int, x'FFFFFFFFFFFFFFFF'::bigint, cast(x'10' as int), x'1F'::int + 1, x'FFFFFFFF'::bigint, B'11111111111111111111111111111111'::int
create table truncated_times (id int, ts timestamp, d date, tz timestamptz)
insert into truncated_times values (1, '2024-02-01', '2024-02-01', '2024-02-01'), (2, '2024-03-01', '2024-03-01', '2024-03-01'), (3, '2024-02-29 23:59:59.999999', '2024-02-29', '2024-02-29 23:59:59.999999'), (4, '2024-01-31 23:59:59.999999', '2024-01-31', '2024-01-31 23:59:59.999999'), (5, null, null, null)
select id from truncated_times where date_trunc('month', ts) = timestamp '2024-02-01' order by id
select id from truncated_times where date_trunc('month', d) = date '2024-02-01' order by id
select id from truncated_times where date_trunc('month', tz) = timestamptz '2024-02-01' order by id
select id from truncated_times where date_trunc('month', ts) <> timestamp '2024-02-01' order by id
select id from truncated_times where date_trunc('month', ts) > timestamp '2024-02-01' order by id
select id from truncated_times where date_trunc('month', ts) >= timestamp '2024-02-01' order by id
select id from truncated_times where date_trunc('month', ts) < timestamp '2024-02-01' order by id
select id from truncated_times where date_trunc('month', ts) <= timestamp '2024-02-01' order by id
select id from truncated_times where date_trunc('month', ts) <= timestamp '2024-02-02' order by id
select id from truncated_times where date_trunc('month', ts) is not distinct from timestamp '2024-02-01' order by id
select id from truncated_times where not (date_trunc('month', ts) > timestamp '2024-02-01') order by id
select id from truncated_times where date_trunc('month', ts)::date = '2024-02-15' or id = 5 order by id
select date_trunc('month', ts) m, count(*) from truncated_times group by 1 having date_trunc('month', ts) <> '2024-02-15' order by 1
select count(*) filter (where not date_trunc('month', ts) = '2024-02-15') from truncated_times
select case when date_trunc('month', ts) = '2024-02-15' then 1 when date_trunc('month', ts) <> '2024-02-15' then 2 else 3 end from truncated_times order by id
select a.id, b.id from truncated_times a left join truncated_times b on a.id = b.id and date_trunc('month', b.ts) <> '2024-02-15' order by 1
select id from truncated_times where date_trunc('month', ts) in (timestamp '2024-02-15') is null order by id
select id from truncated_times where (date_trunc('year', ts) = '2024-01-01') = true order by id
select id from (select id, date_trunc('month', ts) m from truncated_times) x where m <> '2024-02-15' order by id
select id from (select id, date_trunc('month', ts) m from truncated_times) x where not (m = '2024-02-15') order by id
with x as (select id, date_trunc('month', ts) m from truncated_times) select id, m = '2024-02-15', m <> '2024-02-15' from x order by id
select date_trunc('month', x.m) = '2024-02-15' from (select max(ts) m from truncated_times where id = 5) x
drop table truncated_times
select date_trunc('day', ts) = 'infinity', date_trunc('day', ts) > timestamp '-infinity', date_trunc('day', ts) <= timestamp '-infinity' from (values (timestamp 'infinity'), ('-infinity'), ('2024-01-01'), (null)) v(ts) order by 1, 2
select null + interval '1 day', interval '1 day' + null, interval '1 day' * null, null - interval '1 day', (null, interval '1 day') overlaps (date '2024-01-01', interval '1 day')
select pg_type_is_visible(null), pg_table_is_visible(null), pg_get_userbyid(null), pg_relation_is_updatable(null, false), pg_char_to_encoding(null), pg_tablespace_location(null)
select p.a, s.x from (values (1), (2), (3)) p(a), lateral (select max(r.a) from (values (1), (2)) r(a) where r.a < p.a union all select 7) s(x) order by 1, 2
select p.a, s.x from (values (1), (2), (3)) p(a), lateral (select max(r.a) from (values (1), (2)) r(a) where r.a < p.a union select 7) s(x) order by 1, 2
select p.a, s.x from (values (1), (2), (3)) p(a), lateral (select max(r.a) from (values (1), (2)) r(a) where r.a < p.a except select 7) s(x) order by 1, 2
select p.a, s.x from (values (1), (2), (3)) p(a), lateral (select max(r.a) from (values (1), (2)) r(a) where r.a < p.a intersect select null) s(x) order by 1, 2
select p.a, s.x from (values (1), (2), (3)) p(a), lateral (select distinct max(r.a) + 1 from (values (1), (2)) r(a) where r.a < p.a) s(x) order by 1, 2
select p.a, s.x from (values (1), (2), (3)) p(a), lateral (select string_agg(r.a::text, ',') from (values (1), (2)) r(a) where r.a < p.a order by 1) s(x) order by 1, 2
select p.a, s.x from (values (1), (2), (3)) p(a), lateral (select x from (select max(r.a) from (values (1), (2)) r(a) where r.a < p.a) q(x) where x is null order by x) s(x) order by 1, 2
select p.a, s.* from (values (1), (2), (3)) p(a), lateral (select p.a, max(r.a), 5 from (values (1), (2)) r(a) where r.a < p.a union all select min(r.a), 1, 2 from (values (1), (2)) r(a) where r.a > p.a) s(x, y, z) order by 1, 2, 3
select p.a, s.x from (values (1), (2), (3)) p(a), lateral (select 1 from (values (1), (2)) r(a) where r.a < p.a having true union all select 7) s(x) order by 1, 2
select p.a, (select count(*) from (select max(r.a) m from (values (1), (2)) r(a) where r.a < p.a union all select 1) q) from (values (1), (2), (3)) p(a) order by 1
select p.a, s.x from (values (1), (2), (3)) p(a) left join lateral (select (select max(r.a) from (values (1), (2)) r(a)) from (values (1), (2)) r(a) where r.a < p.a order by r.a) s(x) on true order by 1, 2
with c as (select max(r.a) m from (values (1), (2)) r(a)) select p.a, s.x from (values (1), (2), (3)) p(a), lateral (with d as (select max(r.a) from (values (1), (2)) r(a) where r.a < p.a) select * from d union all select m from c) s(x) order by 1, 2
select bit_length('\x0102'::bytea), bit_length('ab'), bit_length(''::bytea)
select trim('x' from 'xax'), position('a' in 'xax'), overlay('abc' placing 'x' from 2), ltrim('  a')
select * from generate_series(0.1, 0.5, 0.2)
select * from generate_series(1.5, 3)
select x::float8 from generate_series(2, 1, -0.5) x
select * from generate_series(2, 1, 0.5)
select * from generate_series(null, 2, 0.5)
select x::float8, n from generate_series(1, 2, 0.5) with ordinality s(x, n)
select generate_series(1, 3), generate_series(0.5, 1, 0.25)::float8
select array(select generate_series(0.5, 2))::text
select corr((select 1), x), regr_slope((select 2), x) from (values (1), (2)) v(x)
select x, corr((select max(y) from (values (3)) w(y)) + x, x) from (values (1), (2)) v(x) group by x having corr((select 1), x) is null order by x
select p.a, s.* from (values (1), (2)) p(a) join (select r.b, count(*) as n from (values (1), (2)) r(b) group by rollup (r.b)) s on s.n > p.a order by 1, 2, 3
select p.a, (select count(*) from (values (1), (2)) p(a) group by rollup (p.a) order by 1 desc limit 1) from (values (1), (2)) p(a) order by 1
select p.a, s.n from (values (1), (2)) p(a), lateral (select count(*) as n from (values (1), (2)) r(b) where r.b > p.a group by grouping sets ((r.b), (r.b))) s order by 1, 2
select p.a, s.n from (values (1), (2)) p(a), lateral (select max(r.b) as n from (values (1), (2)) r(b) where r.b > p.a group by rollup (r.b)) s order by 1, 2
select p.a, s.n from (values (1), (2)) p(a), lateral (select distinct max(b) as n from (values (1), (2)) r(b) where b > a group by rollup (b)) s order by 1, 2
select p.a, s.n from (values (1), (2)) p(a), lateral (select max(r.b) as n from (values (1, 1), (2, 1)) r(b, c) where r.b > p.a group by cube (r.b, r.c) union all select 7) s order by 1, 2
select p.a, (select max(r.b) as n from (values (1), (2)) r(b) where r.b > p.a group by grouping sets ((r.b), ()) order by 1 nulls first limit 1) from (values (1), (2)) p(a) order by 1
select p.a, s.n from (values (1), (2)) p(a), lateral (select r.b as n from (values (1), (2)) r(b) where r.b > p.a group by rollup (r.b) except select 2) s order by 1, 2
select p.a, s.n from (values (1), (2)) p(a), lateral (select distinct r.b as n from (values (1), (2)) r(b) where r.b > p.a group by rollup (r.b) having max(r.b) is null) s order by 1, 2
select d.j::jsonb || '{"q": 1}' from (values ('{"z": 1, "y": 2}', '[1]', '{}')) d(j, a, b)
select e.j::jsonb - 'q', e.j::jsonb || '{"x": 3}' from (values ('{"z": 1, "y": {"b": 1.50, "a": 2}}', 'k', 'v', 'key', 'value')) e(j, k, v, key, value)
select found.j::jsonb -> 'a' ->> 'b', found.j::jsonb -> found.path from (values ('{"a": {"b": 1.50}}', 'p', 'w', 'a')) found(j, part, whole, path)
select round(v.x, v.n)::float8, trunc(v.x, v.n)::float8, to_char(v.x, '99.9'), to_char(v.digits::int, '99') from (values (12.345, 1, '3', 't')) v(x, n, digits, text)
