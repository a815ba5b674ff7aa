import { afterAll, beforeAll, expect, test } from 'vitest';
import { rowsOf, TableFixture } from '../testing/table-fixture.ts';

let fixture: TableFixture;

beforeAll(async () => {
  fixture = await TableFixture.open();
  await fixture.table(
    'wide',
    `SELECT i::INTEGER AS id, hash(i) AS h, (hash(i) % 1000)::INTEGER AS k, repeat(md5(i::VARCHAR), 4) AS a,
       repeat(md5((i + 1)::VARCHAR), 4) AS b FROM range(40960) r(i)`,
    { primaryIndex: ['id'], minBytesForWide: 1 },
  );
  const others = Array.from({ length: 100 }, (_, n) => `((i * ${n + 1}) % 251)::INTEGER AS c${n}`);
  await fixture.table(
    'hot',
    `SELECT i::INTEGER AS id, (hash(i) % 1000)::INTEGER AS k, (hash(i) % 9)::VARCHAR AS text,
       CASE WHEN i % 3 > 0 THEN (i % 977) / 7 - 50 END AS d, TIMESTAMP '2020-01-01' + to_seconds(hash(i) % 999) AS at,
       ${others.join(', ')} FROM range(40960) r(i)`,
    { primaryIndex: ['id'] },
  );
});
afterAll(() => fixture[Symbol.asyncDispose]());

const LATE = [
  'SELECT * FROM wide ORDER BY h LIMIT 3',
  'SELECT id, a FROM wide WHERE k > 500 ORDER BY h DESC LIMIT 3 OFFSET 2',
  'SELECT w.b, w.h AS z FROM wide AS w ORDER BY z LIMIT 5',
  'SELECT h, a FROM wide ORDER BY 1 LIMIT 2',
  'SELECT upper(a) FROM wide ORDER BY lower(h::VARCHAR) LIMIT 2',
];

/** A table of which nothing is on disk or in memory. */
async function forgotten() {
  const table = fixture.snapshot.relations(
    fixture.snapshot.schemas(fixture.snapshot.databases()[0]!.id)[0]!.id,
  )[0]!;
  await fixture.agent.settled();
  await fixture.agent.forget(fixture.snapshot.tablets(table.id));
}

test.for(LATE)('%s reads the other columns of only a few granules', async (sql) => {
  await forgotten();
  const executable = await fixture.executable(sql);
  const rows = await rowsOf(executable);
  await executable.release();
  expect(executable.tables[0]?.isLate).toBe(true);
  const [whole] = await fixture.rows('SELECT sum(length(a) + length(b)) FROM wide');
  expect(whole).toEqual([String(40960 * 256)]);
  await fixture.agent.settled();
  const inMemory = await fixture.rows(sql.replace(/ FROM wide/, ' FROM (SELECT * FROM wide)'));
  expect(rows).toEqual(inMemory);
});

test('fetches less than half of what the table has', async () => {
  await forgotten();
  const executable = await fixture.executable('SELECT * FROM wide ORDER BY h LIMIT 1');
  await executable.release();
  const { use } = executable.tables[0]!;
  const bytes = fixture.snapshot
    .tablets(executable.tables[0]!.table.id)
    .reduce((sum, tablet) => sum + tablet.bytes, 0);
  expect(use.bytesFetched).toBeLessThan(bytes / 2);
});

const EARLY = [
  'SELECT count(*) FROM wide ORDER BY 1 LIMIT 1',
  'SELECT DISTINCT a FROM wide ORDER BY a LIMIT 1',
  'SELECT a, row_number() OVER () FROM wide ORDER BY h LIMIT 1',
  'SELECT unnest([a, b]) FROM wide ORDER BY h LIMIT 1',
  'SELECT a FROM wide LIMIT 1',
  'SELECT x.a FROM wide x JOIN wide y USING (id) ORDER BY x.h LIMIT 1',
  'SELECT h FROM wide ORDER BY h LIMIT 1',
];

test.for(EARLY)('%s is read in one pass', async (sql) => {
  await forgotten();
  const executable = await fixture.executable(sql);
  await executable.release();
  expect(executable.tables[0]?.isLate).toBe(false);
});

/** Whether the sort key of the last row bounds what a second pass reads. */
const IN_MEMORY: readonly (readonly [sql: string, isLate: boolean])[] = [
  ['SELECT * FROM hot ORDER BY k, id LIMIT 10', true],
  ['SELECT * FROM hot WHERE c5 = 7 ORDER BY hot.at DESC, id DESC LIMIT 7 OFFSET 3', true],
  ['SELECT h.*, c3 AS x FROM hot AS h WHERE k > 500 ORDER BY h.d, x, id LIMIT 10', true],
  ['SELECT * FROM hot ORDER BY d DESC NULLS LAST, id LIMIT 10', true],
  // The bound would be NULL, have no exact text, be no column, or exclude nothing.
  ['SELECT * FROM hot ORDER BY d DESC, id LIMIT 10', false],
  ['SELECT * FROM hot ORDER BY text, id LIMIT 10', false],
  ['SELECT * FROM hot ORDER BY k + 1, id LIMIT 10', false],
  ['SELECT * FROM hot WHERE id < 5 ORDER BY k LIMIT 10', false],
  ['SELECT id, c1 FROM hot ORDER BY k, id LIMIT 10', false],
];

test.for(IN_MEMORY)('in memory: %s', async ([sql, isLate]) => {
  const snapshot = fixture.committedSnapshot;
  await fixture.rows('SELECT * FROM hot LIMIT 1', { snapshot });
  await fixture.agent.settled();
  const executable = await fixture.executable(sql, { snapshot });
  const rows = await rowsOf(executable);
  await executable.release();
  expect(executable.tables[0]).toMatchObject({ isLate, use: { tabletsHot: 1, read: { rows: 40960 } } });
  expect(rows.length).toBeGreaterThan(4);
  expect(rows).toEqual(
    await fixture.rows(
      sql.replace(/ FROM hot( AS h)?/, ' FROM (SELECT * FROM hot) AS h').replace('hot.at', 'at'),
    ),
  );
});
