/** Tables for queries of every shape: with NULLs, duplicates, empty lists, NaN, and one empty table. */
export const SHAPE_TABLES: readonly string[] = [
  'CREATE TABLE t (a INTEGER, b VARCHAR, d DATE, x DECIMAL(15,2), l INTEGER[], ts TIMESTAMP, f DOUBLE, s STRUCT(p INTEGER, q VARCHAR), big BIGINT)',
  `INSERT INTO t SELECT
    CASE WHEN i % 11 = 0 THEN NULL ELSE i % 7 END,
    CASE WHEN i % 5 = 0 THEN NULL ELSE 'v' || (i % 4) END,
    DATE '2020-01-01' + (i % 9)::INTEGER,
    (i * 1.37)::DECIMAL(15,2),
    CASE WHEN i % 6 = 0 THEN NULL WHEN i % 6 = 1 THEN [] ELSE [i, i % 3, NULL] END,
    TIMESTAMP '2020-01-01 00:00:00' + to_hours(i),
    CASE i WHEN 3 THEN 'nan'::DOUBLE WHEN 4 THEN 'inf'::DOUBLE ELSE i / 3.0 END,
    CASE WHEN i % 8 = 0 THEN NULL ELSE {'p': i, 'q': 's' || i} END,
    i * 10000000000
  FROM range(40) r(i)`,
  'CREATE TABLE u (a INTEGER, b VARCHAR, y INTEGER)',
  `INSERT INTO u SELECT
    CASE WHEN i % 9 = 0 THEN NULL ELSE i % 5 END, CASE WHEN i % 7 = 0 THEN NULL ELSE 'v' || (i % 3) END, i
  FROM range(25) r(i)`,
  'CREATE TABLE e (a INTEGER, b VARCHAR)',
  'CREATE TABLE one (a INTEGER)',
  'INSERT INTO one VALUES (3)',
  "CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')",
  'CREATE TABLE en (m mood, k INTEGER)',
  "INSERT INTO en VALUES ('sad', 1), ('happy', 2), (NULL, 3), ('ok', 4)",
];
