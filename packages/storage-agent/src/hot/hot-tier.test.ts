import { RowBlock } from '@tessera/kernel';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ScanRequest, ScanTablet, StorageAgent } from '../storage-agent.ts';
import { Fixture } from '../testing/fixture.ts';
import { storeTablet, testTable, withoutRows } from '../testing/tables.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await Fixture.open();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const table = () => testTable('t', { a: 'BIGINT', b: 'VARCHAR', c: 'DOUBLE' });
type Table = ReturnType<typeof table>;
const ROWS = "SELECT i AS a, 'b' || (i % 10) AS b, i / 2 AS c FROM";

const request = (table: Table, tablets: readonly ScanTablet[], more: Partial<ScanRequest> = {}) =>
  fixture.request({ table, tablets, columns: [1, 2], ...more });

/** Whether all segments of a column in memory are stored as they are, and whether some are packed integers. */
async function compressions(agent: StorageAgent, whole: ScanRequest, of = fixture) {
  const { sql, release } = await agent.prepareScan(whole);
  const stored = await of.rows(
    `SELECT replace(column_name, '_stored', '') AS name, bool_and(compression = 'Uncompressed') AS plain, bool_or(compression = 'BitPacking') AS packed
     FROM pragma_storage_info('${/hot\.[\w.]+/.exec(sql.replaceAll('"', ''))![0]}') WHERE segment_type NOT IN ('VALIDITY', 'LIST')
     GROUP BY 1 ORDER BY 1`,
  );
  release();
  return stored.filter(({ name }) => !String(name).startsWith('$'));
}

const read = (agent: StorageAgent, asked: ScanRequest) =>
  fixture.read(agent, asked, 'count(*) AS n, sum(a) AS s');

test('a table that was read once is read from one native table the second time', async () => {
  const agent = await fixture.agent();
  const t = table();
  const tablets = [
    { tablet: await storeTablet(fixture, t, `${ROWS} range(5000) t(i)`) },
    { tablet: await storeTablet(fixture, t, `${ROWS} range(5000, 8000) t(i)`) },
  ];
  const whole = request(t, tablets, { wholeTableAt: 7 });
  expect(await read(agent, whole)).toEqual({ n: 8000, s: 31996000, hot: 0 });
  await agent.settled();
  expect(agent.isHot(fixture.session, t.id, 7, [1])).toBe(true);
  expect(agent.isHot(fixture.session, t.id, 8, [1])).toBe(false);
  expect(agent.isHot(fixture.session, t.id, 7, [1, 3])).toBe(false);
  const scan = await agent.prepareScan(whole);
  expect(scan.sql).not.toMatch(/WHERE|UNION|read_parquet/);
  expect(scan.use.bytesFetched).toBe(0);
  scan.release();
  expect(await read(agent, whole)).toEqual({ n: 8000, s: 31996000, hot: 2 });
  expect(agent.metrics()).toMatchObject({ tabletsHot: 2, promotionsPending: 0 });
});

test('columns that were not read before are loaded for the next scan, with the types of the table', async () => {
  const agent = await fixture.agent();
  const t = table();
  const tablets = [{ tablet: await storeTablet(fixture, t, `${ROWS} range(100) t(i)`) }];
  await read(agent, request(t, tablets, { wholeTableAt: 1 }));
  await agent.settled();
  const wider = request(t, tablets, { wholeTableAt: 1, columns: [1, 3] });
  expect((await read(agent, wider)).hot).toBe(0);
  await agent.settled();
  expect((await read(agent, wider)).hot).toBe(1);
  const scan = await agent.prepareScan(wider);
  const { columns } = await fixture.session.describe(`SELECT * FROM ${scan.sql}`);
  expect(columns.map((c) => c.type.id)).toEqual(['BIGINT', 'VARCHAR', 'DOUBLE']);
  await expect(fixture.rows(`SELECT max(b) FROM ${scan.sql}`)).rejects.toThrow('was not fetched');
  scan.release();
});

test('numbers of more than 18 digits stay uncompressed in memory, because unpacking them takes twenty times as long', async () => {
  const agent = await fixture.agent();
  const types = {
    a: 'BIGINT',
    b: 'DECIMAL(38, 2)',
    c: 'DECIMAL(18, 2)',
    d: 'DECIMAL(19,0)',
    e: 'DECIMAL(38, 2)[]',
  };
  const t = testTable('t', types);
  const rows =
    'SELECT i AS a, hash(i) % 1000000 AS b, hash(i) % 1000000 AS c, i AS d, [i] AS e FROM range(200000) t(i)';
  const whole = request(t, [{ tablet: await storeTablet(fixture, t, rows) }], {
    wholeTableAt: 1,
    columns: [1, 2, 3, 4, 5],
  });
  await read(agent, whole);
  await agent.settled();
  expect(await compressions(agent, whole)).toEqual([
    { name: 'a', plain: false, packed: true },
    { name: 'b', plain: true, packed: false },
    { name: 'c', plain: false, packed: true },
    { name: 'd', plain: true, packed: false },
    { name: 'e', plain: true, packed: false },
  ]);
});

test('text columns with many distinct values stay uncompressed in memory while that is plentiful, because searching them takes half of the time', async () => {
  // While it loads the larger table, the kernel has the smaller one and rows that are not compressed yet in memory, too.
  await using small = await Fixture.open(260e6);
  const t = testTable('t', { distinct: 'VARCHAR', repeated: 'VARCHAR', empty: 'VARCHAR', n: 'BIGINT' });
  const rows = `SELECT repeat(md5(i::TEXT), 4) AS "distinct", 'text ' || i % 100 AS repeated, NULL AS empty, i AS n FROM`;
  const plainColumns = async ({ of, grows }: { of: Fixture; grows: boolean }) => {
    const agent = await of.agent();
    const first = { tablet: await storeTablet(of, t, `${rows} range(50000) t(i)`) };
    const second = { tablet: await storeTablet(of, t, `${rows} range(50000, 550000) t(i)`) };
    let found: Awaited<ReturnType<typeof compressions>> = [];
    for (const [i, tablets] of [[first], ...(grows ? [[first, second]] : [])].entries()) {
      const whole = of.request({ table: t, tablets, wholeTableAt: i + 1 });
      await of.read(agent, whole, 'count(*)');
      await agent.settled();
      found = await compressions(agent, whole, of);
    }
    return found.filter(({ plain }) => plain).map(({ name }) => name);
  };
  expect(await plainColumns({ of: fixture, grows: false })).toEqual(['distinct']);
  expect(await plainColumns({ of: fixture, grows: true })).toEqual(['distinct']);
  expect(await plainColumns({ of: small, grows: false })).toEqual(['distinct']);
  // 550,000 texts of 128 characters are more than a quarter of its memory.
  expect(await plainColumns({ of: small, grows: true })).toEqual([]);
});

test('appended tablets, deleted rows and removed tablets are applied; older snapshots remain correct meanwhile and afterwards', async () => {
  const agent = await fixture.agent();
  const t = table();
  const [one, two, three] = [
    await storeTablet(fixture, t, `${ROWS} range(1000) t(i)`),
    await storeTablet(fixture, t, `${ROWS} range(1000, 2000) t(i)`),
    await storeTablet(fixture, t, `${ROWS} range(2000, 2001) t(i)`),
  ];
  const v1 = request(t, [{ tablet: one }, { tablet: two }], { wholeTableAt: 1 });
  const v2 = request(t, [...v1.tablets, { tablet: three }], { wholeTableAt: 2 });
  const gone = Array.from({ length: 100 }, (_, i) => i * 7);
  const v3 = request(t, [withoutRows(one, gone), { tablet: two }, { tablet: three }], { wholeTableAt: 3 });
  const v4 = request(t, [withoutRows(one, [...gone, 999]), { tablet: three }], { wholeTableAt: 4 });
  const expected = new Map([
    [v1, { n: 2000, s: 1999000 }],
    [v2, { n: 2001, s: 2001000 }],
    [v3, { n: 1901, s: 2001000 - 34650 }],
    [v4, { n: 900, s: 499500 - 34650 - 999 + 2000 }],
  ]);
  for (const [version, answer] of expected) {
    expect(await read(agent, version)).toMatchObject(answer);
    for (const [other, ofOther] of expected) expect(await read(agent, other)).toMatchObject(ofOther);
    await agent.settled();
    expect(await read(agent, version)).toMatchObject(answer);
    for (const [other, ofOther] of expected) expect(await read(agent, other)).toMatchObject(ofOther);
  }
  await agent.settled();
  expect(await read(agent, v4)).toMatchObject({ hot: 2 });
  // Rows that the newest snapshot no longer has come from files.
  expect(await read(agent, v1)).toMatchObject({ n: 2000, hot: 0 });
});

/** Runs a query that returns an integer, and keeps its statement prepared in the session. */
async function keptCount(sql: string): Promise<number> {
  const { schemaIpc, batches } = await fixture.session.query(sql, [], { keep: true, fewRows: true });
  let count: number | undefined;
  for await (const { ipc } of batches) count = Number(new RowBlock(schemaIpc, ipc).integers(0)?.[0]);
  return count!;
}

test('a statement over all rows in memory may stay prepared while the table changes', async () => {
  const agent = await fixture.agent();
  const t = table();
  const [one, two] = [
    await storeTablet(fixture, t, `${ROWS} range(1000) t(i)`),
    await storeTablet(fixture, t, `${ROWS} range(1000, 2000) t(i)`),
  ];
  const versions: [readonly ScanTablet[], number][] = [
    [[{ tablet: one }], 1000],
    [[{ tablet: one }, { tablet: two }], 1000],
    [[withoutRows(one, [0, 1, 2, 500]), { tablet: two }], 996],
    [[{ tablet: two }], 0],
  ];
  for (const [i, [tablets, expected]] of versions.entries()) {
    const asked = request(t, tablets, { wholeTableAt: i + 1 });
    const cold = await agent.prepareScan(asked);
    expect(cold.isFixed).toBe(false);
    cold.release();
    await agent.settled();
    for (const _ of [1, 2]) {
      const scan = await agent.prepareScan(asked);
      expect(scan.isFixed).toBe(true);
      // All rows of the first version satisfy the condition, and the kernel drops it from the plan that it keeps.
      expect(await keptCount(`SELECT count(*) AS n FROM ${scan.sql} WHERE a < 1000`)).toBe(expected);
      scan.release();
    }
  }
});

test('a scan of a whole resident table can be repeated until the table changes', async () => {
  const agent = await fixture.agent();
  const t = table();
  const one = { tablet: await storeTablet(fixture, t, `${ROWS} range(1000) t(i)`) };
  const first = request(t, [one], { wholeTableAt: 1 });
  const cold = await agent.prepareScan(first);
  expect(cold.again, 'a scan of files').toBeUndefined();
  cold.release();
  await agent.settled();
  const scan = await agent.prepareScan(first);
  scan.release();
  const again = scan.again!(fixture.session)!;
  expect(again).toMatchObject({ sql: scan.sql, use: scan.use, isFixed: true });
  const apart = await fixture.kernel.session({ sharesTables: false });
  expect(scan.again!(apart), 'a session without the resident tables').toBeUndefined();
  await apart.close();
  // The table changes when the repeated scan has ended, and not before.
  const second = request(t, [one, { tablet: await storeTablet(fixture, t, `${ROWS} range(5) t(i)`) }], {
    wholeTableAt: 2,
  });
  (await agent.prepareScan(second)).release();
  expect(await fixture.rows(`SELECT count(*) AS n FROM ${again.sql}`)).toEqual([{ n: 1000 }]);
  again.release();
  await agent.settled();
  expect(agent.isHot(fixture.session, t.id, 2, [1, 2])).toBe(true);
  expect(scan.again!(fixture.session)).toBeUndefined();
  const newer = await agent.prepareScan(second);
  newer.release();
  expect(await fixture.rows(`SELECT count(*) AS n FROM ${newer.again!(fixture.session)!.sql}`)).toEqual([
    { n: 1005 },
  ]);
});

test('a narrow relation has only the columns that are read, in memory and in files, and others lack what is omitted', async () => {
  const agent = await fixture.agent();
  const t = table();
  const tablets = [{ tablet: await storeTablet(fixture, t, `${ROWS} range(10) t(i)`) }];
  const asked = request(t, tablets, { wholeTableAt: 1, columns: [3, 1], isNarrow: true });
  for (const hot of [0, 1]) {
    const scan = await agent.prepareScan(asked);
    expect(scan.use.tabletsHot).toBe(hot);
    expect(await fixture.rows(`SELECT * FROM ${scan.sql} ORDER BY a DESC LIMIT 1`)).toEqual([
      { a: 9, c: 4.5 },
    ]);
    scan.release();
    await agent.settled();
  }
  const empty = await agent.prepareScan({ ...asked, tablets: [], wholeTableAt: 2 });
  const { columns } = await fixture.session.describe(`SELECT * FROM ${empty.sql}`);
  expect(columns.map(({ name }) => name)).toEqual(['a', 'c']);
  empty.release();
  const columnsWithout = async (omitted: readonly number[], wholeTableAt?: number) => {
    const scan = await agent.prepareScan(request(t, tablets, { wholeTableAt, omitted }));
    const { columns } = await fixture.session.describe(`SELECT * FROM ${scan.sql}`);
    scan.release();
    return columns.map(({ name }) => name);
  };
  expect(await columnsWithout([2], 1)).toEqual(['a', 'c']);
  expect(await columnsWithout([2])).toEqual(['a', 'c']);
  expect(await columnsWithout([1, 2, 3]), 'a relation has a column').toEqual(['a']);
});

test('a statement that names its columns reads the resident table itself if the columns have the same names there', async () => {
  const agent = await fixture.agent();
  const created = table();
  const t = {
    ...created,
    columns: created.columns.map((column) => ({ ...column, storedName: column.name })),
  };
  const tablets = [{ tablet: await storeTablet(fixture, t, `${ROWS} range(10) t(i)`) }];
  await read(agent, request(t, tablets, { wholeTableAt: 1, columns: [1, 2, 3] }));
  await agent.settled();
  const sqlOf = async (more: Partial<ScanRequest>, of: Table = t) => {
    const scan = await agent.prepareScan(request(of, tablets, { wholeTableAt: 1, omitted: [3], ...more }));
    scan.release();
    expect(scan.use.tabletsHot).toBe(1);
    return scan.sql;
  };
  const itself = await sqlOf({});
  expect(itself).toMatch(/^hot\.main\."\w+" \/\* at 1 of all \*\/$/);
  expect(await fixture.rows(`SELECT max(b) AS m FROM ${itself} AS t`)).toEqual([{ m: 'b9' }]);
  expect(await sqlOf({ columns: [], omitted: [1, 2, 3] })).toBe(itself);
  expect(await sqlOf({ columns: [1, 2, 3], omitted: [] })).toBe(itself);
  for (const more of [{ omitted: undefined }, { isNarrow: true }, { rowPositions: true }, { columns: [1] }])
    expect(await sqlOf(more), JSON.stringify(more)).toMatch(/^\(SELECT .* AS "at 1 of all"\)$/);
  const [a, b, c] = t.columns;
  const renamed = { ...t, columns: [a!, b!, { ...c!, name: 'd' }] };
  const dropped = { ...t, columns: [a!, b!] };
  expect(await sqlOf({}, renamed)).toMatch(/^\(SELECT/);
  expect(await sqlOf({ columns: [1], omitted: [2] }, dropped)).toMatch(/^\(SELECT/);
});

test('the rows of a narrow relation of no columns can be read from memory, from files and from both', async () => {
  const agent = await fixture.agent();
  const t = table();
  const [one, two, three] = [
    await storeTablet(fixture, t, `${ROWS} range(3) t(i)`),
    await storeTablet(fixture, t, `${ROWS} range(3, 5) t(i)`),
    await storeTablet(fixture, t, `${ROWS} range(5, 6) t(i)`),
  ];
  const tablets = [one, two, three].map((tablet) => ({ tablet }));
  await read(agent, request(t, [{ tablet: one }], { wholeTableAt: 1 }));
  await agent.settled();
  for (const asked of [tablets.slice(0, 1), tablets.slice(1, 2), tablets.slice(1), tablets]) {
    const scan = await agent.prepareScan(request(t, asked, { columns: [], isNarrow: true }));
    const { length } = await fixture.rows(
      `SELECT 1.25 AS x FROM ${scan.sql} INTERSECT ALL SELECT 1.25 FROM range(9)`,
    );
    expect(length).toBe(asked.reduce((rows, { tablet }) => rows + tablet.rows, 0));
    scan.release();
  }
});

test('a scan that is prepared sees neither rows appended nor misses rows deleted before it runs', async () => {
  const agent = await fixture.agent();
  const t = table();
  const [one, two] = [
    await storeTablet(fixture, t, `${ROWS} range(1000) t(i)`),
    await storeTablet(fixture, t, `${ROWS} range(1000, 2000) t(i)`),
  ];
  const v1 = request(t, [{ tablet: one }], { wholeTableAt: 1 });
  await read(agent, v1);
  await agent.settled();
  const exact = await agent.prepareScan(v1);
  const v2 = request(t, [withoutRows(one, [0, 1, 2, 500]), { tablet: two }], { wholeTableAt: 2 });
  const guarded = await agent.prepareScan(v2);
  let settled = false;
  const settling = agent.settled().then(() => {
    settled = true;
  });
  expect(await fixture.rows(`SELECT count(*) AS n FROM ${exact.sql}`)).toEqual([{ n: 1000 }]);
  expect(await fixture.rows(`SELECT count(*) AS n FROM ${guarded.sql}`)).toEqual([{ n: 1996 }]);
  expect(settled).toBe(false);
  exact.release();
  await settling;
  expect(await fixture.rows(`SELECT count(*) AS n, sum(a) AS s FROM ${guarded.sql}`)).toEqual([
    { n: 1996, s: 1998497 },
  ]);
  guarded.release();
  expect(await read(agent, v2)).toEqual({ n: 1996, s: 1998497, hot: 2 });
});

test('changes of an open transaction are not mistaken for the committed table', async () => {
  const agent = await fixture.agent();
  const t = table();
  const [one, own] = [
    await storeTablet(fixture, t, `${ROWS} range(1000) t(i)`),
    await storeTablet(fixture, t, `${ROWS} range(1000, 1010) t(i)`),
  ];
  const committed = request(t, [{ tablet: one }], { wholeTableAt: 5 });
  await read(agent, committed);
  await agent.settled();
  const inside = request(t, [withoutRows(one, [1]), { tablet: own }], { wholeTableAt: -1 });
  expect(await read(agent, inside)).toMatchObject({ n: 1009, hot: 1 });
  await agent.settled();
  expect(await read(agent, committed)).toEqual({ n: 1000, s: 499500, hot: 1 });
});

test('positions of rows are the same from memory and from files', async () => {
  const agent = await fixture.agent();
  const t = table();
  const [one, two] = [
    await storeTablet(fixture, t, `${ROWS} range(1000) t(i)`),
    await storeTablet(fixture, t, `${ROWS} range(1000, 1010) t(i)`),
  ];
  const tablets = [withoutRows(one, [3, 5]), { tablet: two }];
  const asked = request(t, tablets, { wholeTableAt: 1, rowPositions: true });
  const positions = async (r: ScanRequest) => {
    const scan = await agent.prepareScan(r);
    const rows = await fixture.rows(
      `SELECT a, "$tablet" AS t, "$row" AS r FROM ${scan.sql} WHERE a IN (0, 4, 6, 999, 1000, 1009) ORDER BY a`,
    );
    scan.release();
    return { rows: rows.map(({ a, t: tablet, r: row }) => [a, tablet, row]), hot: scan.use.tabletsHot };
  };
  const rows = [
    [0, 0, 0],
    [4, 0, 4],
    [6, 0, 6],
    [999, 0, 999],
    [1000, 1, 0],
    [1009, 1, 9],
  ];
  expect(await positions(asked)).toEqual({ rows, hot: 0 });
  await agent.settled();
  expect(await positions(asked)).toEqual({ rows, hot: 2 });
  const swapped = rows.map(([a, tablet, row]) => [a, 1 - tablet!, row]);
  expect(await positions({ ...asked, tablets: tablets.toReversed(), wholeTableAt: undefined })).toEqual({
    rows: swapped,
    hot: 2,
  });
});

test('a scan of few granules depends on the deleted rows near them only', async () => {
  const agent = await fixture.agent();
  const t = table();
  const tablet = await storeTablet(fixture, t, `${ROWS} range(40000) t(i)`);
  await read(agent, request(t, [{ tablet }], { wholeTableAt: 1 }));
  await agent.settled();
  const scanOf = async (version: number, deleted: readonly number[]) => {
    const scan = { ...withoutRows(tablet, deleted), granules: [3] };
    const contents = { version, tablets: undefined };
    return agent.prepareScan(request(t, [scan], { rowPositions: true, contents }));
  };
  const few = await scanOf(2, [6144, 6150, 8191, 8192]);
  const many = await scanOf(3, [6144, 6150, 8191, ...Array.from({ length: 2000 }, (_, i) => 8192 + 3 * i)]);
  expect(many.sql).toBe(few.sql);
  expect(many.use).toMatchObject({ tabletsHot: 1, bytesFetched: 0, read: { rows: 2045 } });
  expect(
    await fixture.rows(`SELECT count(*) AS n, min("$row") AS a, max("$row") AS b FROM ${many.sql}`),
  ).toEqual([{ n: 2045, a: 6145, b: 8190 }]);
  few.release();
  many.release();
});

test('a session on another process reads files; after the process is replaced, everything is loaded again', async () => {
  const agent = await fixture.agent();
  const t = table();
  const tablets = [{ tablet: await storeTablet(fixture, t, `${ROWS} range(1000) t(i)`) }];
  const whole = request(t, tablets, { wholeTableAt: 1 });
  await read(agent, whole);
  await agent.settled();
  const quarantined = await fixture.kernel.session({ quarantine: true });
  const scan = await agent.prepareScan({ ...whole, session: quarantined });
  expect(scan.use.tabletsHot).toBe(0);
  expect(await quarantined.scalar(`SELECT count(*) FROM ${scan.sql}`)).toBe(1000);
  await quarantined.close();
  process.kill(fixture.kernel.status().pid!, 'SIGKILL');
  await expect.poll(() => fixture.kernel.processId).not.toBe(fixture.session.processId);
  await fixture.renewSession();
  const after = request(t, tablets, { wholeTableAt: 1 });
  expect(await read(agent, after)).toMatchObject({ n: 1000, hot: 0 });
  await agent.settled();
  expect(await read(agent, after)).toMatchObject({ n: 1000, hot: 1 });
});
