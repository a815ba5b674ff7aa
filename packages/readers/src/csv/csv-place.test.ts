import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { firstUnreadable, firstWithCell } from './csv-place.ts';
import { type CsvShape, csvRecords } from './csv-records.ts';

const directory = mkdtempSync(join(tmpdir(), 'csv-place-'));
afterAll(() => rmSync(directory, { recursive: true }));

const SHAPE: CsvShape = { delimiter: ',', quote: '"', escape: '"', compression: 'none' };
const { signal } = new AbortController();

function file(content: string | Buffer): string {
  const path = join(directory, 'file');
  writeFileSync(path, content);
  return path;
}

async function records(content: string, shape = SHAPE) {
  const all: unknown[] = [];
  for await (const { line, fields, problem } of csvRecords(file(content), shape))
    all.push(problem === undefined ? [line, ...fields] : [line, problem]);
  return all;
}

describe('records of CSV', () => {
  it.each([
    [
      'a,b\n1,2\n',
      [
        [1, 'a', 'b'],
        [2, '1', '2'],
      ],
    ],
    [
      'a,"x\ny"\r\nb,"""q"""',
      [
        [1, 'a', 'x\ny'],
        [3, 'b', '"q"'],
      ],
    ],
    [
      'a,\n,b\n',
      [
        [1, 'a', ''],
        [2, '', 'b'],
      ],
    ],
    ['a"b,c\n', [[1, 'a"b', 'c']]],
    ['a,"b\nc,d\n', [[1, 'a quote is not closed']]],
    [
      'a\n"b"c\nd\n',
      [
        [1, 'a'],
        [2, 'text follows a closing quote'],
      ],
    ],
    ['', []],
  ])('%j', async (content, expected) => {
    expect(await records(content)).toEqual(expected);
  });

  it('with an escape of its own', async () => {
    expect(await records("'a\\'b';c\n", { ...SHAPE, delimiter: ';', quote: "'", escape: '\\' })).toEqual([
      [1, "a'b", 'c'],
    ]);
  });

  it('over the ends of chunks, compressed', async () => {
    const lines = Array.from({ length: 20_000 }, (_, i) => `${i},"x""${'é'.repeat(i % 40)}\r\n"`);
    const path = file(gzipSync(`${lines.join('\r\n')}\r\n`));
    let count = 0;
    for await (const { line, fields } of csvRecords(path, { ...SHAPE, compression: 'gzip' })) {
      expect(line).toBe(2 * count + 1);
      expect(fields).toEqual([String(count), `x"${'é'.repeat(count % 40)}\r\n`]);
      count += 1;
    }
    expect(count).toBe(20_000);
  });
});

describe('places in CSV', () => {
  it('name the first record with another number of fields', async () => {
    expect(await firstUnreadable(file('a,b,c\n1,2,3\n\n4,5\n6\n'), SHAPE, signal)).toEqual({
      line: 4,
      text: '4,5',
      reason: 'it has 2 fields, the first line has 3',
    });
    expect(await firstUnreadable(file('a,b\n1,2\n'), SHAPE, signal)).toBe(undefined);
    expect(await firstUnreadable(file(`a\n"x"${'y'.repeat(500)}\n`), SHAPE, signal)).toMatchObject({
      line: 2,
      text: `"x"${'y'.repeat(197)}…`,
      reason: 'text follows a closing quote',
    });
  });

  it('name the row of a cell', async () => {
    const path = file('a,B\nzz,1\n2,zz\n');
    const found = (column: string | undefined, names?: readonly string[]) =>
      firstWithCell(path, SHAPE, { text: 'zz', column }, names, signal);
    expect(await found('b')).toEqual({ line: 3, text: '2,zz', column: 'B' });
    expect(await found(undefined)).toEqual({ line: 2, text: 'zz,1', column: 'a' });
    expect(await found('f1', ['f0', 'f1'])).toEqual({ line: 3, text: '2,zz', column: 'f1' });
    expect(await firstWithCell(path, SHAPE, { text: 'a', column: 'a' }, undefined, signal)).toBe(undefined);
  });
});
