import { expect, test } from 'vitest';
import { normalizedSql, redactedQuery, redactedSql, redactedUrl } from './shown-sql.ts';

test.for([
  [
    "SELECT  A , 'x' /* c */ FROM\n T WHERE b = 1.5e3 AND c IN (1, 2)",
    'select a, ? from t where b = ? and c in (?, ?)',
  ],
  ["INSERT INTO d.T VALUES (1, TRUE, X'ab', $$q$$)", 'insert into d.t values (?, ?, ?, ?)'],
  ["SELECT '1'::int, a[1], count( * )", 'select ?::int, a [?], count (*)'],
  ["SELECT 'open", "SELECT 'open"],
])('%s is of the kind %s', ([sql, normalized]) => {
  expect(normalizedSql(sql!)).toBe(normalized);
});

test('a statement of a megabyte is normalised within seconds', { timeout: 20_000 }, () => {
  const rows = 60_000;
  const statement = `INSERT INTO t VALUES ${Array(rows).fill("(12345, 'abc')").join(', ')}`;
  expect(normalizedSql(statement)).toBe(`insert into t values ${Array(rows).fill('(?, ?)').join(', ')}`);
});

test.for([
  ["SELECT 'plain' AS a", "SELECT 'plain' AS a"],
  [
    "CREATE LOCATION l WITH SOURCE = AMAZON_S3 CREDENTIALS = (AWS_KEY_ID = 'id' AWS_SECRET_KEY='s''x') URL = 's3://b'",
    "CREATE LOCATION l WITH SOURCE = AMAZON_S3 CREDENTIALS = (AWS_KEY_ID = '***' AWS_SECRET_KEY='***') URL = 's3://b'",
  ],
  [
    "SELECT * FROM read_csv('s3://b/x', AWS_SECRET_ACCESS_KEY => $$s$$, HEADER => true)",
    "SELECT * FROM read_csv('s3://b/x', AWS_SECRET_ACCESS_KEY => '***', HEADER => true)",
  ],
  ["CREATE USER u PASSWORD 'p'", "CREATE USER u PASSWORD '***'"],
  [
    "SELECT 1; ALTER USER u SET PASSWORD = $$p$$ DISABLED; SELECT 'a'",
    "SELECT 1; ALTER USER u SET PASSWORD = '***' DISABLED; SELECT 'a'",
  ],
  ['CREATE USER u PASSWORD NULL LOGIN', 'CREATE USER u PASSWORD NULL LOGIN'],
  ["CREATE USER u PASWORD 'p'", "CREATE USER u PASWORD '***'"],
  ['CREATE ROLE u LOGIN PASSWORD "p" LOGIN', "CREATE ROLE u LOGIN PASSWORD '***'"],
  ['CREATE USER u PASSWORD hunter2! ; SELECT 1', "CREATE USER u PASSWORD '***'"],
  ["ALTER USER u PASSWORD 'a'b'c'; SELECT 1", "ALTER USER u PASSWORD '***'"],
  ["CREATE /* c */ USER u PASWORD 'p", '***'],
  ["CREATE /* a /* b */ */ USER u PASWORD 'p'", "CREATE USER u PASWORD '***'"],
  ["CREATE -- c\n\tROLE u LOGIN PASWORD 'p'", "CREATE ROLE u LOGIN PASWORD '***'"],
  ["SELECT user, 'x' FROM t", "SELECT user, 'x' FROM t"],
  ["SELECT * FROM read_csv('https://u:p@h/x')", "SELECT * FROM read_csv('***')"],
  ["SELECT * FROM read_csv('https://h/x?a=1&X-Amz-Signature=abc')", "SELECT * FROM read_csv('***')"],
  ["SELECT * FROM t WHERE k = 'a@b.c'", "SELECT * FROM t WHERE k = 'a@b.c'"],
  ["CREATE LOCATION l SECRET = 'open", '***'],
])('%s is shown as %s', ([sql, shown]) => {
  expect(redactedSql(sql!)).toBe(shown);
});

test.for([
  [
    "SELECT * FROM READ_CSV('s3://b/x', AWS_SECRET_ACCESS_KEY => $$s$$, aws_session_token = 's') WHERE key = 'k'",
    "SELECT * FROM READ_CSV('s3://b/x', AWS_SECRET_ACCESS_KEY => '***', aws_session_token = '***') WHERE key = 'k'",
  ],
  ["SELECT * FROM read_csv(URL => 'https://u:p@h/x')", "SELECT * FROM read_csv(URL => '***')"],
  ["SELECT f(token => 's') FROM t WHERE token = 's'", "SELECT f(token => 's') FROM t WHERE token = 's'"],
  ["SELECT password, 'p' FROM t", "SELECT password, 'p' FROM t"],
])('the query %s is shown as %s', ([sql, shown]) => {
  expect(redactedQuery(sql!)).toBe(shown);
});

test.for([
  ['s3://b/x', 's3://b/x'],
  ['https://h/x?a=1', 'https://h/x?a=1'],
  ['s3://u:p@b/x', 's3://***@b/x'],
  ['https://h/x?a=1&X-Amz-Signature=abc', 'https://h/x?***'],
])('the URL %s is shown as %s', ([url, shown]) => {
  expect(redactedUrl(url!)).toBe(shown);
});
