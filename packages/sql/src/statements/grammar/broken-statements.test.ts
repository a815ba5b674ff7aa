import { TesseraError } from '@tessera/common';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tokenize } from '../../text/lexer.ts';
import { classifyStatement } from '../classify.ts';

const STATEMENTS = [
  'CREATE DIMENSION TABLE IF NOT EXISTS d.s.t (a INT NOT NULL DEFAULT 1, b ARRAY(STRUCT(x NUMERIC(3, 1), "Y" TEXT)) NULL) PRIMARY INDEX (a, b) PARTITION BY a % 4, (b) WITH (index_granularity = 8192) LOCATION = \'s3://b\'',
  'CREATE FACT TABLE t (a, b) PRIMARY INDEX a AS WITH x AS (SELECT 1) SELECT * FROM x WITH (max_threads = 2)',
  "CREATE EXTERNAL TABLE e (a int) CREDENTIALS = (K = 'k' S = 's') URL = 's3://b/' OBJECT_PATTERN = '*.csv' TYPE = (CSV SKIP_HEADER_ROWS = 1) COMPRESSION = GZIP",
  "CREATE OR REPLACE LOCATION l WITH SOURCE = AMAZON_S3 CREDENTIALS = (AWS_ROLE_ARN = 'arn') URL = 's3://b'",
  'CREATE OR REPLACE VIEW s.v (a, b) AS SELECT 1, 2',
  'CREATE INDEX IF NOT EXISTS i ON t USING SKIP_INDEX(lower(a)) WITH (TYPE = minmax)',
  'CREATE AGGREGATING INDEX i ON t (a, sum(b))',
  'ALTER TABLE IF EXISTS t ADD COLUMN c text DEFAULT CASE WHEN true THEN 1 END NOT NULL',
  "ALTER TABLE t DROP PARTITION ('2024-01-01', 1 + 1)",
  'DROP AGGREGATING INDEX IF EXISTS d.s.i CASCADE',
  'INSERT INTO d.s.t (a, b) VALUES (1, DEFAULT), ((SELECT 2), 3) WITH (a = b)',
  'WITH a AS (SELECT 1), b(x) AS (SELECT 2) INSERT INTO t SELECT * FROM a',
  'UPDATE t AS x SET a = x.b IS DISTINCT FROM u.b, (b, c) = ROW (1, DEFAULT) FROM u JOIN w ON true WHERE x.a = u.a',
  'DELETE FROM t AS x USING u, w WHERE x.a = u.a AND CASE WHEN w.b THEN true END',
  'MERGE INTO t x USING (SELECT 1 AS a) AS s ON x.a = s.a WHEN MATCHED AND s.b THEN UPDATE SET a = 2, b = DEFAULT WHEN NOT MATCHED BY TARGET THEN INSERT (a, b) VALUES (s.a, DEFAULT) WHEN NOT MATCHED BY SOURCE THEN DO NOTHING',
  "COPY INTO t (a, b $2, c \"C d\", d DEFAULT 0 $3, e $source_file_name) FROM 's3://b/x' LIMIT 10 WITH (TYPE = CSV, HEADER = TRUE, CREDENTIALS = (K = 'k'))",
  "COPY (SELECT (1)) TO 's3://x' TYPE = PARQUET COMPRESSION = ZSTD",
  'BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ WRITE',
  'VACUUM (INDEXES = TRUE, MAX_CONCURRENCY = 4) s.t',
  "SHOW TABLES IN d.s LIKE 'a%'",
  'CALL collect_garbage()',
  "CREATE USER IF NOT EXISTS u WITH PASSWORD 'p' DEFAULT_DATABASE = d DEFAULT_ROLE = r DISABLED",
  "ALTER USER u SET PASSWORD = 'p' LOGIN",
  'GRANT SELECT, CANCEL ANY QUERY ON ALL TABLES IN SCHEMA a.b TO ROLE r, u WITH GRANT OPTION',
  'REVOKE ADMIN OPTION FOR ROLE a, b FROM u CASCADE',
  'SHOW GRANTS ON DATABASE d FOR u',
];

/**
 * Classifies a statement. If it is refused, checks that the error is a statement error with a place inside
 * the statement.
 */
function classifiesOrPoints(sql: string): void {
  try {
    classifyStatement(sql);
  } catch (error) {
    if (!(error instanceof TesseraError)) throw error;
    const { location } = error;
    if (location === undefined) return;
    expect(location.startColumn).toBeGreaterThan(0);
    expect(location.startColumn).toBeLessThanOrEqual(sql.length + 1);
    expect(location.endColumn).toBeGreaterThanOrEqual(location.startColumn - 1);
  }
}

test.for(STATEMENTS)('with any token left out, doubled, or as the end: %s', (sql) => {
  expect(() => classifyStatement(sql)).not.toThrow();
  for (const { startOffset, image } of tokenize(sql)) {
    const end = startOffset + image.length;
    classifiesOrPoints(sql.slice(0, startOffset));
    classifiesOrPoints(sql.slice(0, end));
    classifiesOrPoints(sql.slice(0, startOffset) + sql.slice(end));
    classifiesOrPoints(`${sql.slice(0, end)} ${sql.slice(startOffset)}`);
  }
});

test('tokens of statements in any order', () => {
  const words = [...new Set(STATEMENTS.flatMap((sql) => tokenize(sql).map((token) => token.image)))];
  const sentence = fc.array(fc.constantFrom(...words), { maxLength: 20 });
  const starts = fc.constantFrom(...STATEMENTS.map((sql) => sql.split(' ').slice(0, 4).join(' ')));
  fc.assert(
    fc.property(starts, sentence, (start, rest) => classifiesOrPoints(`${start} ${rest.join(' ')}`)),
    { numRuns: 3000 },
  );
});
