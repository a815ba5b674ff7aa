-- Statements of INSERT … ON CONFLICT whose rows, counts, columns and errors are those of PostgreSQL, one per line.
create table k (id int primary key, v int, t text default 'd', n numeric(8,2))
insert into k values (1, 10, 'a', 1.5), (2, 20, 'b', null)
insert into k values (1, 11) on conflict do nothing
insert into k values (1, 11), (3, 30) on conflict do nothing
insert into k values (1, 11), (4, 40), (4, 41) on conflict (id) do nothing returning *
insert into k values (1, 11) on conflict (id) do nothing returning id, v + 1
insert into k values (1, 12), (5, 50) on conflict (id) do update set v = excluded.v returning *
insert into k values (1, 13) on conflict (id) do update set v = k.v + excluded.v, t = default returning id, v, t
insert into k values (1, 14) on conflict on constraint k_pkey do update set (v, t) = (excluded.v, 'row')
insert into k values (1, 15) on conflict (id) do update set (v, t) = (select max(k2.v), min(k2.t) from k k2) returning *
insert into k values (1, 16) on conflict (id) do update set v = (select sum(v) from k) returning *
insert into k values (1, 16) on conflict (id) do update set v = (select sum(x.v) from k x where x.id <> k.id) + excluded.v returning *
insert into k values (1, 17), (6, 60) on conflict (id) do update set v = excluded.v where k.v > excluded.v returning *
insert into k values (1, 1), (2, 2), (7, 70) on conflict (id) do update set v = excluded.v where excluded.v = 2
insert into k values (1, 0), (2, 2) on conflict (id) do update set v = 10 / excluded.v where excluded.v <> 0 returning id, v
insert into k values (1, 0) on conflict (id) do update set v = 10 / excluded.v
insert into k values (8, 0) on conflict (id) do update set v = 10 / excluded.v returning *
insert into k as x values (1, 18) on conflict (id) do update set v = x.v + excluded.v returning x.id, x.v
insert into k as x values (1, 18) on conflict (id) do update set v = k.v
insert into k values (1, 19) on conflict (id) do update set v = v + 1
insert into k values (1, 19) on conflict (id) do update set v = 1 where v > 1
insert into k values (1, 19) on conflict (id) do update set nope = 1
insert into k values (1, 19) on conflict (id) do update set v = excluded.nope
insert into k values (1, 19) on conflict (id) do update set v = 1, v = 2
insert into k values (1, 19) on conflict (id) do update set v = 1 returning excluded.v
insert into k values (1, 19) on conflict (id) do update set v = 1 where count(*) > 1
insert into k values (1, 19) on conflict (id) do update set v = max(excluded.v)
insert into k values (1, 19) on conflict (v) do nothing
insert into k values (1, 19) on conflict (id, v) do update set v = 1
insert into k values (1, 19) on conflict (nope) do nothing
insert into k values (1, 19) on conflict on constraint nope do nothing
insert into k values (1, 19) on conflict do update set v = 1
insert into k values (1, 19) on conflict (id) do
insert into k values (1, 19) on conflict (id) do update
insert into k values (1, 19) on conflict (id) do delete
insert into k values (1, 19) on conflict () do nothing
insert into nope values (1) on conflict do nothing
insert into k values (9, 1), (9, 2) on conflict (id) do update set v = excluded.v
insert into k values (1, 1), (1, 2) on conflict (id) do update set v = excluded.v
insert into k values (1, 1), (1, 2) on conflict (id) do update set v = excluded.v where false
insert into k values (1, 1), (1, 2) on conflict (id) do update set v = excluded.v where excluded.v = 2 returning v
insert into k values (1, 2), (1, 1) on conflict (id) do update set v = excluded.v where excluded.v = 2
insert into k values (null, 1) on conflict do nothing
insert into k values (null, 1) on conflict (id) do update set v = 1
insert into k values (1, 1) on conflict (id) do update set id = null
insert into k values (1, 1) on conflict (id) do update set id = 100 returning id
insert into k values (1, 1) on conflict (id) do update set id = 100 returning id
delete from k where id = 1
update k set id = 1 where id = 100
insert into k select id, v + 1 from k on conflict (id) do update set v = excluded.v
insert into k (id, v) select i, i * 100 from generate_series(1, 12) g(i) on conflict (id) do update set v = excluded.v where k.v < excluded.v
insert into k (id, v) select i % 3 + 20, i from generate_series(1, 9) g(i) order by i on conflict (id) do nothing
select * from k where id >= 20 order by id
with w as (select 1 as id, 5 as v) insert into k (id, v) select * from w on conflict (id) do update set v = excluded.v + (select v from w) returning *
with gone as (delete from k where id = 2 returning *) select count(*) from gone
insert into k (v, id) values (7, 1) on conflict (id) do update set v = excluded.v, t = excluded.t, n = excluded.n returning *
insert into k (id) values (1) on conflict (id) do update set v = default, t = 'x' || excluded.t returning *
insert into k (id, n) values (30, 1.239), (1, 2.999) on conflict (id) do update set n = excluded.n + 0.001 returning id, n
insert into k (id, t) values (1, 5) on conflict (id) do update set t = excluded.t returning t
insert into k (id, v) values (1, 'x') on conflict (id) do nothing
insert into k (id, v) values (1, '77') on conflict (id) do update set v = excluded.v returning v
insert into k values (1, 2, 3, 4, 5) on conflict do nothing
insert into k (id, v) values (1) on conflict do nothing
insert into k values (1, 1) on conflict (id) do update set v = 1 from k
insert into k values (1, 1) on conflict (id) do nothing where true
insert into k default values on conflict do nothing
insert into excluded values (1) on conflict (id) do update set v = 1
create table u (a int, b text, c int, unique (a), unique (b))
insert into u values (1, 'x', 1), (2, 'y', 2), (null, null, 3)
insert into u values (null, null, 4) on conflict do nothing
insert into u values (1, 'z', 5) on conflict do nothing
insert into u values (3, 'x', 6) on conflict do nothing
insert into u values (3, 'z', 7), (3, 'w', 8), (4, 'z', 9) on conflict do nothing returning *
insert into u values (5, null, 7), (5, 'q', 8) on conflict do nothing returning *
insert into u values (null, 'q', 7), (null, 'q', 8), (null, null, 9) on conflict do nothing returning *
insert into u values (1, 'x', 100) on conflict (a) do update set c = excluded.c returning *
insert into u values (1, 'x', 101) on conflict (b) do update set c = u.c + excluded.c returning *
insert into u values (9, null, 1), (9, null, 2) on conflict (a) do nothing returning c
insert into u values (null, null, 50), (null, null, 51) on conflict (a) do update set c = 0 returning c
insert into u values (1, 'x', 1) on conflict on constraint u_b_key do update set c = -1 returning a
insert into u values (1, 'x', 1) on conflict (a, b) do nothing
insert into u values (1, 'x', 1) on conflict (b, a) do nothing
select * from u order by c, a, b
create table two (a int, b int, v text, primary key (a, b), check (v <> 'bad'), constraint long check (length(v) < 9))
insert into two values (1, 1, 'one') on conflict (b, a) do nothing
insert into two values (1, 1, 'two'), (1, 2, 'three') on conflict (a, b) do update set v = two.v || excluded.v returning *
insert into two values (1, 1, 'bad') on conflict do nothing
insert into two values (1, 1, 'bad') on conflict (a, b) do update set v = 'ok'
insert into two values (1, 1, 'ok') on conflict (a, b) do update set v = 'bad'
insert into two values (1, 1, '12345678') on conflict (a, b) do update set v = excluded.v || '9'
insert into two values (1, 1, '123456789') on conflict (a, b) do nothing
insert into two values (1, 1, 'x') on conflict (a) do nothing
insert into two values (1, 1, 'x') on conflict on constraint long do nothing
insert into two values (1, 1, null), (1, 1, null) on conflict (a, b) do nothing returning *
insert into two values (2, 1, null), (2, 1, 'x') on conflict (a, b) do nothing returning *
select * from two order by a, b
create table f (id varchar(3) primary key, v varchar(4), s smallint, at timestamp(1))
insert into f values ('abc', 'x', 1, '2024-01-01 00:00:00.16') on conflict do nothing
select * from f
insert into f values ('abc   ', 'y', 2, null) on conflict (id) do update set v = excluded.v || '!', s = excluded.s
select * from f
insert into f values ('abc', 'toolong', 1, null) on conflict do nothing
insert into f values ('abc', 'x', 40000, null) on conflict do nothing
insert into f values ('abc', 'x', 1, null) on conflict (id) do update set v = 'toolong'
insert into f values ('abc', 'x', 1, null) on conflict (id) do update set v = excluded.id || 'd   ', at = '2024-01-01 00:00:00.36'
select * from f
create table s (id serial primary key, name text unique, hits int not null default 1, note text)
insert into s (name) values ('a'), ('b') on conflict (name) do update set hits = s.hits + 1 returning id, name, hits
insert into s (name) values ('a'), ('c') on conflict (name) do update set hits = s.hits + 1 returning id, name, hits
insert into s (name) values ('a'), ('c') on conflict (name) do nothing
insert into s (name) values ('d') on conflict (name) do nothing returning id
insert into s (name, hits) values ('a', null) on conflict (name) do nothing
insert into s (name) values ('a') on conflict (name) do update set hits = null
insert into s (name) values ('a') on conflict (name) do update set hits = null where false
insert into s default values on conflict (name) do nothing returning name, hits
select * from s order by id
create table g (id int generated always as identity primary key, name text unique, w text default upper('w'))
insert into g (name) values ('a') on conflict (name) do update set w = g.w || excluded.w returning *
insert into g (name) values ('a') on conflict (name) do update set w = g.w || excluded.w returning *
insert into g (name) values ('a') on conflict (name) do update set id = 5
insert into g (name) values ('a') on conflict (name) do update set id = default returning id > 2
insert into g (id, name) values (5, 'a') on conflict (name) do nothing
insert into g (id, name) overriding system value values (50, 'a'), (51, 'b') on conflict (name) do update set w = excluded.id::text returning *
create table nokey (a int, b int)
insert into nokey values (1, 1) on conflict do nothing
insert into nokey values (1, 1) on conflict do nothing returning *
insert into nokey values (1, 1) on conflict (a) do nothing
insert into nokey values (1, 1) on conflict (a) do update set b = 1
create table j (id int primary key, d jsonb, arr int[], f float8)
insert into j values (1, '{"a": 1}', '{1,2}', 1.5) on conflict (id) do update set d = j.d || excluded.d returning *
insert into j values (1, '{"b": 2}', '{3}', 'NaN') on conflict (id) do update set d = j.d || excluded.d, arr = j.arr || excluded.arr, f = excluded.f returning *
create table "Q t" ("I d" int primary key, "select" text)
insert into "Q t" values (1, 'x') on conflict ("I d") do update set "select" = "Q t"."select" || excluded."select" returning *
insert into "Q t" values (1, 'y') on conflict ("I d") do update set "select" = "Q t"."select" || excluded."select" returning "Q t"."select"
insert into public.k values (1, 5) on conflict (id) do update set v = k.v + 1000 returning k.v > 1000
create table fl (x float8 primary key, n int)
insert into fl values ('NaN', 1), (0, 1) on conflict do nothing
insert into fl values ('NaN', 2), ('-0', 2) on conflict (x) do update set n = excluded.n returning n
begin
insert into k values (1, 1), (60, 1) on conflict (id) do update set v = -1 returning id
insert into k values (60, 2) on conflict (id) do update set v = -2 returning id, v
insert into k values (60, 2) on conflict (id) do nothing
rollback
select count(*) from k where id = 60
begin
insert into k values (61, 1) on conflict do nothing
delete from k where id = 61
insert into k values (61, 2) on conflict do nothing returning v
update k set id = 62 where id = 61
insert into k values (61, 3), (62, 4) on conflict (id) do update set v = excluded.v returning id, v
commit
select * from k where id > 60 order by id
with i as (insert into k values (70, 1) on conflict (id) do update set v = excluded.v returning id, v) select * from i
with i as (insert into k values (70, 2) on conflict (id) do nothing returning id, v) select count(*) from i
select * from k order by id
insert into k values (5, 1), (99, 1), (3, 1), (98, 1), (1, 1), (97, 1), (4, 1) on conflict (id) do update set v = excluded.v returning id
insert into k values (5, 1), (89, 1), (3, 1), (88, 1), (1, 1), (87, 1), (4, 1) on conflict (id) do nothing returning id
insert into u (a, b) values (5, 'k5'), (89, 'k1'), (3, 'k3'), (88, 'k2'), (87, 'k4') on conflict do nothing returning b
with k as (select 5 as id, 7 as v) insert into k (id, v) select id, v from k on conflict (id) do update set v = excluded.v returning id, v, t
with k as (select 76 as id, 7 as v) insert into k (id, v) select id, v from k on conflict do nothing
with excluded as (select 5 as id, 8 as v) insert into k (id, v) select id, v from excluded on conflict (id) do update set v = excluded.v returning id, v, t
with w as (select 5 as id), k as (select 1 as id) insert into public.k (id, v) select id, 9 from w on conflict (id) do update set v = excluded.v + (select count(*) from k) returning id, v
insert into k (id, v) select id, v from (with k as (select 5 as id, 11 as v) select * from k) q on conflict (id) do update set v = excluded.v returning id, v
create schema o
create table o.k (id int primary key, v int)
insert into o.k values (1, 1) on conflict (id) do update set v = o.k.v
insert into o.k values (1, 2) on conflict (id) do update set v = k.v + excluded.v returning k.v
insert into o.k values (1, 3) on conflict (id) do update set v = o.k.v + excluded.v returning o.k.v
drop schema o cascade
insert into k values (1, 50) on conflict (id) do update set v = public.k.v + 1 returning public.k.v
create temp table tt (id int primary key, v int)
insert into tt values (1, 1), (2, 2) on conflict do nothing
with tt as (select 1 as id) insert into tt select id, 5 from tt on conflict (id) do update set v = tt.v + excluded.v returning *
insert into pg_temp.tt values (2, 7), (3, 3) on conflict (id) do update set v = tt.v + excluded.v returning *
-- One row of literals, which is looked for by its key.
create table one (a int, b text, c bigint, d date, e double precision, x numeric(8,2), primary key (a, b))
insert into one values (1, 'it''s', 5, '2024-01-31', 1.5, 2.25) on conflict (a, b) do update set c = excluded.c
insert into one values (1, 'it''s', 6, '2024-02-01', 2.5, 3.25) on conflict (b, a) do update set c = one.c + excluded.c, d = excluded.d, e = excluded.e / 2, x = excluded.x * one.x
insert into one values (1, 'It''s', 7, null, null, null) on conflict (a, b) do update set c = 0
insert into one values (1, 'it''s', 7, null, null, null) on conflict (a, b) do nothing
insert into one values (2, 'new', 7, null, null, null) on conflict do nothing
insert into one values (2, 'new', 8, null, null, null) on conflict do nothing
insert into one values (2, 'new', 8, '2024-05-05', null, 9.999) on conflict (a, b) do update set (c, d, x) = (excluded.c + 1, excluded.d, excluded.x)
insert into one values (2, 'new', 0, null, null, null) on conflict (a, b) do update set c = 10 / excluded.c
insert into one values (3, 'zero', 0, null, null, null) on conflict (a, b) do update set c = 10 / excluded.c
insert into one (b, a) values ('part', 4) on conflict (a, b) do update set c = 1
insert into one (b, a) values ('part', 4) on conflict (a, b) do update set c = 1, e = excluded.e
insert into one values (2, 'new', 9, null, null, null) on conflict (a, b) do update set c = c + 1
insert into one values (2, 'new', 9, null, null, null) on conflict (a, b) do update set c = one.c + "excluded"."c", d = 'excluded.d'
insert into one values (2, 'new', 9, null, null, null) on conflict (a, b) do update set b = one.b || ' excluded.c ' || EXCLUDED.C
insert into one as g values (2, 'new', 9, null, null, null) on conflict (a, b) do update set b = g.b || '!', e = length(excluded.b)
insert into one as g values (2, 'new excluded.c 9', 9, null, null, null) on conflict (a, b) do update set b = g.b || '!', e = length(excluded.b)
insert into one values (2, 'new', 9, null, null, null) on conflict (a, b) do update set c = case when excluded.c > one.c then excluded.c else one.c end
insert into one values (2, 'new', 9, null, null, null) on conflict (a, b) do update set c = null, d = null, e = null
insert into one values (2, 'new', 9, null, null, null) on conflict (a, b) do update set a = null
insert into one values (2147483648, 'new', 9, null, null, null) on conflict (a, b) do nothing
insert into one values (2, 'new', 9, '2024-13-01', null, null) on conflict (a, b) do nothing
insert into one values (null, 'new', 9, null, null, null) on conflict (a, b) do update set c = 1
insert into one values (2, 'new', 9, null, null, 12345678.5) on conflict (a, b) do nothing
insert into one values (2, 'new', 9, null, null, 12345678.5) on conflict (a, b) do update set c = 1
insert into one values (2, 'new', 9, null, null, 1) on conflict (a, b) do update set x = excluded.x + 99999999
select * from one order by a, b
create table two (k int unique, n int not null)
insert into oneu values (null, 1) on conflict (k) do update set n = 2
insert into oneu values (null, 1) on conflict (k) do nothing
insert into oneu values (1, 1) on conflict (k) do update set n = excluded.n + 1
insert into oneu values (1, 1) on conflict (k) do update set n = excluded.n + 1
insert into oneu values (1, 1) on conflict (k) do update set n = null
insert into oneu values (1, 1) on conflict (k) do update set n = (select 7)
insert into oneu values (1, 1) on conflict (k) do update set n = excluded.k
select * from two order by k, n
create table named (id int primary key, v int)
insert into named values (1, 1)
insert into named as excluded values (1, 12) on conflict (id) do update set v = excluded.v
insert into named as excluded values (1, 12) on conflict (id) do nothing
drop table named
