import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CopyTextFormat, defaultCopyFormat } from '@tessera/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode } from '../testing/test-node.ts';

let node: TestNode;
beforeAll(async () => {
  node = await TestNode.open();
});
afterAll(() => node[Symbol.asyncDispose]());

const TEXT = defaultCopyFormat('text');
const CSV = defaultCopyFormat('csv');

let inputs = 0;
const copyIn = async (sql: string, text: string | Buffer, format: CopyTextFormat) => {
  const path = join(node.directory, 'files', `stdin-${inputs++}`);
  writeFileSync(path, text);
  return (await node.run(sql, { copyInput: { path, format } })).affectedRows;
};
const copyOut = (sql: string, format: CopyTextFormat) =>
  node.body(sql, { encoding: { kind: 'copy', format } });

describe('COPY FROM STDIN, text', () => {
  it('reads values of every type as PostgreSQL writes them', async () => {
    await node.run(`CREATE TABLE every (i INT, l BIGINT, f REAL, d DOUBLE PRECISION, n NUMERIC(10, 2), t TEXT,
      b BOOLEAN, da DATE, ts TIMESTAMP, tz TIMESTAMPTZ, y BYTEA, j JSON, a INT[], at TEXT[], aa INT[][])`);
    const row = [
      ...['-1', '9223372036854775807', '1e+06', 'NaN', '1.50', 'a\\tb\\\\c\\nd', 't', '0044-03-15 BC'],
      ...['2024-01-01 00:00:00.5+02', '2024-01-01 02:00:00 +02:00', '\\\\x00ff', '{"a": 1}', '{1,NULL,3}'],
      ...['{"a b",NULL,"NULL","x\\\\\\\\y","q\\\\"r"}', '{{1,2},{3,NULL}}'],
    ];
    const nulls = row.map(() => '\\N');
    expect(await copyIn('COPY every FROM STDIN', `${row.join('\t')}\n${nulls.join('\t')}\n`, TEXT)).toBe(2);
    const out = await copyOut('SELECT * FROM every ORDER BY i', TEXT);
    const written = [...row];
    written[8] = '2024-01-01 00:00:00.5';
    written[9] = '2024-01-01 00:00:00+00';
    expect(out).toBe(`${written.join('\t')}\n${nulls.join('\t')}\n`);
  });

  it('stores jsonb in its own form and refuses other texts', async () => {
    await node.run('CREATE TABLE documents (i INT, j JSONB)');
    const line = '1\t{"b": 1.10,  "a": {"c": []}, "b": "x"}\n2\t\\N\n';
    expect(await copyIn('COPY documents FROM STDIN', line, TEXT)).toBe(2);
    expect(await node.rows('SELECT i, j FROM documents ORDER BY i')).toEqual([
      [1, '{"a":{"c":[]},"b":"x"}'],
      [2, null],
    ]);
    expect(await copyOut('SELECT j FROM documents WHERE i = 1', TEXT)).toBe('{"a": {"c": []}, "b": "x"}\n');
    await expect(copyIn('COPY documents FROM STDIN', '3\t[1,]\n', TEXT)).rejects.toThrow(
      /invalid input syntax for type json/,
    );
  });

  it('escapes, ends of lines, the end mark', async () => {
    await node.run('CREATE TABLE t1 (n INT, t TEXT)');
    const lines = ['1|\\x41\\102\\q\\|', '2|a\\\nb', '3|', '4|\\N', '5|\\\\N', '6|\\N '];
    expect(
      await copyIn('COPY t1 FROM STDIN', `${lines.join('\n')}\n\\.\nnot read`, { ...TEXT, delimiter: '|' }),
    ).toBe(6);
    expect(await node.rows('SELECT t FROM t1 ORDER BY n')).toEqual([
      ['ABq|'],
      ['a\nb'],
      [''],
      [null],
      ['\\N'],
      ['N '],
    ]);
    expect(await copyIn('COPY t1 FROM STDIN', '7\tx\r\n8\ty', TEXT)).toBe(2);
    expect(await node.rows('SELECT t FROM t1 WHERE n > 6 ORDER BY n')).toEqual([['x'], ['y']]);
  });

  it.each([1 << 20, (1 << 20) + 1, 20_000_000])('a line of %i bytes and more', async (bytes) => {
    await node.run('CREATE TABLE IF NOT EXISTS long_lines (n INT, t TEXT)');
    await node.run('DELETE FROM long_lines');
    const text = 'x'.repeat(bytes);
    expect(await copyIn('COPY long_lines FROM STDIN', `1\t${text}\n2\tb\n3\t${text}`, TEXT)).toBe(3);
    expect(await node.rows('SELECT n, length(t) FROM long_lines ORDER BY n')).toEqual([
      [1, `${bytes}`],
      [2, '1'],
      [3, `${bytes}`],
    ]);
  });

  it('some columns; the others have their defaults, NULL stays NULL', async () => {
    await node.run("CREATE TABLE t2 (a INT NOT NULL, b TEXT DEFAULT 'none', c TEXT DEFAULT 'c')");
    expect(await copyIn('COPY t2 (b, a) FROM STDIN', '\\N\t1\n', TEXT)).toBe(1);
    expect(await node.rows('SELECT * FROM t2')).toEqual([[1, null, 'c']]);
  });

  it.each([
    ['1\n', 'BAD_FILE', /line 1.*missing data for column "b"/],
    ['1\tx\n2\ty\tz\n', 'BAD_FILE', /line 2.*extra data after last expected column/],
    ['x\ty\n', 'CAST_ERROR', /x/],
    ['\\N\ty\n', 'NOT_NULL_VIOLATION', /a/],
    [Buffer.from([0x31, 9, 0xff, 10]), 'INVALID_ENCODING', /UTF8.*line 1/],
  ])('%j fails whole: %s', async (text, name, message) => {
    await node.run('CREATE TABLE IF NOT EXISTS t3 (a INT NOT NULL, b TEXT)');
    await expect(copyIn('COPY t3 FROM STDIN', text, TEXT)).rejects.toMatchObject({ name, message });
    expect(await node.rows('SELECT count(*) FROM t3')).toEqual([['0']]);
  });

  it('columns that are not sent and have no default are NULL, whatever their types', async () => {
    await node.run(
      'CREATE TABLE partly (k INT, n NUMERIC(4, 2), big BIGINT, at TIMESTAMP(0), tz TIMESTAMPTZ(3), s SMALLINT, v VARCHAR(3), j JSONB, y BYTEA, a INT[])',
    );
    expect(await copyIn('COPY partly (k) FROM STDIN', '1\n', TEXT)).toBe(1);
    const sent = '2\t1.555\t12345678901234\t2024-01-01 00:00:00.6\tabc\n';
    expect(await copyIn('COPY partly (k, n, big, at, v) FROM STDIN', sent, TEXT)).toBe(1);
    expect(await node.rows('SELECT * FROM partly ORDER BY k')).toEqual([
      [1, ...Array(9).fill(null)],
      [2, '1.56', '12345678901234', '2024-01-01 00:00:01', null, null, 'abc', null, null, null],
    ]);
  });

  it('a malformed line does not end a kernel process, however long it is', async () => {
    await node.run('CREATE TABLE t6 (a INT, b TEXT)');
    const { pid, restarts } = node.kernel.status();
    for (const text of ['x', 'x'.repeat(3_000_000), `${'1\ta\n'.repeat(100_000)}x`]) {
      await expect(copyIn('COPY t6 FROM STDIN', text, TEXT)).rejects.toMatchObject({ name: 'BAD_FILE' });
    }
    expect(node.kernel.status().pid).toBe(pid);
    await node.rows('SELECT 1');
    expect(node.kernel.status()).toMatchObject({ pid, restarts });
  });

  it('is refused over HTTP, where no rows are sent', async () => {
    await node.run('CREATE TABLE t4 (a INT)');
    await expect(node.run('COPY t4 FROM STDIN')).rejects.toMatchObject({ name: 'NOT_SUPPORTED' });
    await expect(node.run('COPY t4 (b) FROM STDIN')).rejects.toMatchObject({ name: 'UNDEFINED_NAME' });
  });

  it('reads rows that cross chunks and batches', async () => {
    await node.run('CREATE TABLE t5 (a INT, t TEXT)');
    const rows = Array.from({ length: 100_000 }, (_, i) => `${i}\t${'ż'.repeat(i % 40)}\\n${i}\n`);
    expect(await copyIn('COPY t5 FROM STDIN', rows.join(''), TEXT)).toBe(100_000);
    const check = `SELECT count(*) FROM t5 WHERE t = repeat('ż', a % 40) || chr(10) || a`;
    expect(await node.rows(check)).toEqual([['100000']]);
    expect(await copyOut('SELECT * FROM t5 ORDER BY a', TEXT)).toBe(rows.join(''));
  });
});

describe('COPY FROM STDIN, csv', () => {
  it('quotes, NULL, FORCE_NULL, FORCE_NOT_NULL', async () => {
    await node.run('CREATE TABLE c1 (n INT, a TEXT, b TEXT, c TEXT)');
    const format = { ...CSV, header: true, forceNull: ['b'], forceNotNull: ['c'] };
    const text = 'n,a,b,c\n1,,,\n2,"","",""\n3,"x""y, z","a\nb",p"q"r\n';
    expect(await copyIn('COPY c1 FROM STDIN', text, format)).toBe(3);
    expect(await node.rows('SELECT a, b, c FROM c1 ORDER BY n')).toEqual([
      [null, null, ''],
      ['', null, ''],
      ['x"y, z', 'a\nb', 'pqr'],
    ]);
  });

  it('an escape that is no quote, a text for NULL, names that must match', async () => {
    await node.run('CREATE TABLE c2 (a TEXT, b TEXT)');
    const format = {
      ...CSV,
      header: 'match',
      delimiter: ';',
      nullText: 'nil',
      escape: '\\',
      quote: "'",
    } as const;
    expect(await copyIn('COPY c2 FROM STDIN', "a;b\nnil;'nil'\n'x\\'y\\\\';\n", format)).toBe(2);
    expect(await node.rows('SELECT * FROM c2 ORDER BY b')).toEqual([
      ["x'y\\", ''],
      [null, 'nil'],
    ]);
    await expect(copyIn('COPY c2 FROM STDIN', 'b;a\n', format)).rejects.toMatchObject({
      message: /mismatch/,
    });
    await expect(copyIn('COPY c2 FROM STDIN', "a;b\nx;'y\n", format)).rejects.toMatchObject({
      name: 'BAD_FILE',
      message: /line 2: .*unterminated CSV quoted field/,
    });
  });
});

describe('COPY TO STDOUT', () => {
  const hostile = `SELECT * FROM (VALUES
    (1, 'plain'), (2, ''), (3, NULL), (4, 'a,b;"c"'), (5, E'x\\ty\\nz\\\\'), (6, '\\.'), (7, '\\N'), (8, E'\\r')) v(n, t) ORDER BY n`;

  it('text', async () => {
    expect(await copyOut(hostile, { ...TEXT, header: true })).toBe(
      [
        'n\tt',
        '1\tplain',
        '2\t',
        '3\t\\N',
        '4\ta,b;"c"',
        '5\tx\\ty\\nz\\\\',
        '6\t\\\\.',
        '7\t\\\\N',
        '8\t\\r',
        '',
      ].join('\n'),
    );
  });

  it('csv', async () => {
    expect(await copyOut(hostile, { ...CSV, header: true })).toBe(
      ['n,t', '1,plain', '2,""', '3,', '4,"a,b;""c"""', '5,"x\ty\nz\\"', '6,\\.', '7,\\N', '8,"\r"', ''].join(
        '\n',
      ),
    );
    const forced = await copyOut('SELECT 1 AS a, NULL AS b', { ...CSV, forceQuote: '*', nullText: 'nil' });
    expect(forced).toBe('"1",nil\n');
  });

  it.each([TEXT, CSV, { ...TEXT, delimiter: '|' }, { ...CSV, quote: "'", escape: '\\', nullText: 'x' }])(
    'what is written reads back the same: %j',
    async (format) => {
      const name = `back_${inputs++}`;
      await node.run(`CREATE TABLE ${name} (n INT, t TEXT)`);
      await copyIn(`COPY ${name} FROM STDIN`, await copyOut(hostile, format), format);
      expect(await node.rows(`SELECT * FROM ${name} ORDER BY n`)).toEqual(await node.rows(hostile));
    },
  );
});
