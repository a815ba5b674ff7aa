import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KernelSession } from './client/kernel-session.ts';
import type { FewRows } from './protocol/messages.ts';
import { type TestKernel, testKernel } from './testing/test-kernel.ts';

let t: TestKernel;
let session: KernelSession;
beforeAll(async () => {
  t = await testKernel({});
  session = await t.kernel.session();
});
afterAll(() => t[Symbol.asyncDispose]());

async function texts(
  sql: string,
  params: readonly (string | number)[] = [],
  fewRows: FewRows = true,
): Promise<string[]> {
  const { batches } = await session.query(sql, params, { fewRows });
  const found: string[] = [];
  for await (const batch of batches) found.push(`${batch.rows}: ${Buffer.from(batch.textColumn(0))}`);
  return found;
}

test('all rows arrive in one batch, also none and more than expected', async () => {
  expect(await texts("SELECT 'a' || i FROM range(3) AS r(i) WHERE i < $1", [2])).toEqual(['2: a0a1']);
  expect(await texts("SELECT 'a' WHERE false")).toEqual([]);
  const [all = ''] = await texts("SELECT 'x' FROM range(10_000)");
  expect(all).toBe(`10000: ${'x'.repeat(10_000)}`);
});

test('an error during execution is reported, and the session can be used again', async () => {
  await expect(
    texts("SELECT CASE WHEN i = 5000 THEN error('late') ELSE 'a' END FROM range(9000) AS r(i)"),
  ).rejects.toThrow('late');
  expect(await texts("SELECT 'b'")).toEqual(['1: b']);
});

test('the query can be interrupted', async () => {
  const running = texts(
    'SELECT sum(a.i * b.i)::VARCHAR FROM range(10_000_000) AS a(i), range(10_000_000) AS b(i)',
  );
  session.interrupt();
  await expect(running).rejects.toMatchObject({ name: 'QUERY_CANCELLED' });
});

test.each([0, 1, 8_192, 8_193, 300_000])(
  'a query that has perhaps few rows and has %i returns all of them in order',
  async (rows) => {
    const sql = "SELECT i || ' ' FROM range(600_000) AS r(i) WHERE i % 2 = 0 AND i < $1";
    for (const [text, params] of [
      [sql, [2 * rows]],
      [sql.replace('$1', String(2 * rows)), []],
    ] as const) {
      const batches = await texts(text, params, 'perhaps');
      const found = batches.flatMap((batch) => batch.split(': ')[1]!.trim().split(' ').map(Number));
      expect(found).toEqual(Array.from({ length: rows }, (_, i) => 2 * i));
      // All rows were computed before the first one was sent.
      if (rows > 0 && rows <= 8_192) expect(batches).toHaveLength(1);
    }
  },
);

test('a query that has perhaps few rows fails only if one of its rows is read that fails', async () => {
  const failing =
    "SELECT CASE WHEN i = 500_000 THEN error('late') ELSE i || ' ' END FROM range(600_000) AS r(i)";
  await expect(texts(failing, [], 'perhaps')).rejects.toThrow('late');
  expect(await texts(`${failing} WHERE i <> 500_000 AND i < 2`, [], 'perhaps')).toEqual(['2: 0 1 ']);
});

test.each([
  ['short and long values', "SELECT repeat('ä', i * 7) || chr(10) FROM range(20) AS r(i)"],
  ['no rows', "SELECT 'a' WHERE false"],
  ['an empty text', "SELECT ''"],
  ['NULLs', "SELECT CASE WHEN i % 3 = 1 THEN repeat('x', i) END FROM range(256) AS r(i)"],
  ['one row more than those in one frame', "SELECT 'a' || i FROM range(257) AS r(i)"],
  [
    'rows from several chunks',
    "(SELECT 'a' || i FROM range(20) AS r(i)) UNION ALL (SELECT 'b' || i FROM range(20) AS r(i))",
  ],
  ['a long value', "SELECT repeat('abc', 100_000)"],
])('texts are the same as the data of an Arrow column: %s', async (_, sql) => {
  for (const fewRows of [true, false, 'perhaps'] as const) {
    for (const keep of [false, true]) {
      const found: (readonly [number, string])[] = [];
      for await (const { rows, bytes } of await session.texts(sql, [], { fewRows, keep }))
        found.push([rows, String(Buffer.from(bytes))]);
      const whole = [found.reduce((sum, [rows]) => sum + rows, 0), found.map(([, text]) => text).join('')];
      const batches = await texts(sql);
      expect(whole).toEqual([
        batches.reduce((sum, batch) => sum + Number.parseInt(batch), 0),
        batches.map((batch) => batch.replace(/^\d+: /, '')).join(''),
      ]);
    }
  }
});

test('texts of a query that fails are an error, and the session can be used again', async () => {
  await session.execute('CREATE TEMP TABLE numbers AS SELECT 1 AS n');
  const read = async (sql: string) => {
    const found: string[] = [];
    for await (const { bytes } of await session.texts(sql, [], { fewRows: true }))
      found.push(String(Buffer.from(bytes)));
    return found;
  };
  await expect(read("SELECT error('late')::VARCHAR")).rejects.toThrow('late');
  expect(await read('SELECT n::VARCHAR FROM numbers')).toEqual(['1']);
});

test.each([
  ['few groups', "SELECT (i % 3) || ':' || count(*) FROM range(1000) AS r(i) GROUP BY i % 3 ORDER BY 1"],
  ['no rows', "SELECT 'a' || i FROM range(10) AS r(i) WHERE i > 10 ORDER BY 1"],
  ['2,048 rows', "SELECT 'a' || i FROM range(100_000) AS r(i) WHERE i < 2048 ORDER BY 1"],
  ['2,049 rows', "SELECT 'a' || i FROM range(100_000) AS r(i) WHERE i < 2049 ORDER BY 1"],
])('a query over fixed rows returns the same when it is repeated: %s', async (_, sql) => {
  const whole = async (options: { readonly isFixed: boolean }) => {
    let found = '';
    for await (const { bytes } of await session.texts(sql, [], options)) found += Buffer.from(bytes);
    return found;
  };
  const expected = await whole({ isFixed: false });
  for (const _ of [1, 2, 3]) expect(await whole({ isFixed: true })).toBe(expected);
});

test('the few rows of a query over fixed rows are computed in one step when it is repeated', async () => {
  const sql = "SELECT 'a' || i FROM range(10_000) AS r(i) WHERE i % 10 = 0 ORDER BY i";
  const pieces = async () => {
    let count = 0;
    for await (const { rows } of await session.texts(sql, [], { isFixed: true })) {
      expect(rows).toBeLessThanOrEqual(1_000);
      count += 1;
    }
    return count;
  };
  await pieces();
  expect(await pieces()).toBe(1);
  await expect(session.texts("SELECT error('late') FROM range(9)", [], { isFixed: true })).rejects.toThrow(
    'late',
  );
});

test('rows of several chunks are written as their text says, and other values than those are refused', async () => {
  const cell = { before: '', ifNull: '-', open: '<', close: '>' } as const;
  const forms = ['integer', 'json', 'word', 'integer'] as const;
  const rowText = { start: '', cells: forms.map((form) => ({ ...cell, form })), end: '\n' };
  const sql = (times: string) =>
    `SELECT i, repeat('ä', ${times}), i % 2 = 0, NULL::BIGINT FROM range(5000) AS r(i)`;
  let text = '';
  for await (const { bytes } of (await session.writtenRows(sql('i // 10'), [], rowText))!)
    text += Buffer.from(bytes);
  const row = (i: number) => `<${i}><${'ä'.repeat(Math.floor(i / 10))}><${i % 2 === 0}>-\n`;
  const expected = Array.from({ length: 5000 }, (_, i) => row(i));
  expect(await session.writtenRows(sql('i'), [], rowText)).toBeUndefined();
  expect(text === expected.join('')).toBe(true);
  await expect(session.writtenRows("SELECT 'a', 1, true, 1", [], rowText)).rejects.toThrow('type 17');
});
