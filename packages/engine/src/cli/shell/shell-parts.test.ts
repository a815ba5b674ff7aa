import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryStreams } from '../query/query-fixture.ts';
import { boxLines, typeName } from './box.ts';
import { Display } from './display.ts';
import { mayBeKept } from './history-file.ts';
import { namedFiles, withLocalFiles } from './local-files.ts';
import { progressText } from './progress-line.ts';
import { resultLines } from './result-text.ts';
import { Shell } from './shell.ts';
import { ShellSession } from './shell-session.ts';
import { typedStatements } from './statement-text.ts';

const plain = { dim: (text: string) => text, bold: (text: string) => text };

it('a shell that is closed before it reads from the terminal leaves the terminal alone', async () => {
  const { io, out } = memoryStreams({ terminal: true });
  const session = new ShellSession(Promise.reject(new Error('the engine did not start')), {});
  const options = { format: 'box', expanded: false, timing: false, maxRows: 10 } as const;
  const display = new Display(io, options, true);
  const shell = new Shell({ session, display, io, files: new Map(), onError: 'stop' });
  const done = shell.interact();
  shell.close();
  await done;
  expect(out()).toBe('');
});

describe('boxes', () => {
  it('fit the terminal, whatever they contain', () => {
    const columns = Array.from({ length: 30 }, (_, i) => ({ name: `column ${i}`, type: 'text null' }));
    const row = columns.map((_, i) => (i % 3 === 0 ? '日本語'.repeat(i) : 'x'.repeat(i * 3)));
    for (const width of [40, 80, 133]) {
      const lines = boxLines(columns, [row, row.toReversed()], width, plain);
      expect(new Set(lines.map((line) => stringWidth(line))).size).toBe(1);
      expect(stringWidth(lines[0]!)).toBeLessThanOrEqual(width);
      expect(lines[1]).toContain('│ … │');
    }
  });

  it('are not squeezed or paged on a terminal without a size', async () => {
    const { io, out } = memoryStreams({ terminal: true });
    Object.assign(io.stdout, { columns: 0, rows: 0 });
    const options = { format: 'box', expanded: false, timing: false, maxRows: 10 } as const;
    const { sink, finish } = new Display(io, options, true).result();
    const text = 'a value that needs some room, but not more than a line';
    await sink.columns([{ name: 'a', type: 'text' }]);
    await sink.rows([[text]]);
    await finish({ affectedRows: undefined, warnings: [], isReused: false });
    expect(out()).toContain(`│ ${text} │`);
  });

  it('show no control characters', () => {
    const [, , , , line] = boxLines([{ name: 'a', type: 'text' }], [['\u001b[31mred\n\u0007']], 80, plain);
    expect(line).toBe('│ ·[31mred↵· │');
  });

  it('show exact numbers in arrays as numbers, and texts in quotes', () => {
    const columns = ['array(long null) null', 'array(array(Decimal(5, 2)))', 'array(text)'];
    const rows = [[['1', null], [['2.50']], ['3']]];
    const [, , , , line] = boxLines(
      columns.map((type) => ({ name: 'a', type })),
      rows,
      80,
      plain,
    );
    expect(line!.split(/ *│ */).slice(1, -1)).toEqual(['[1,null]', '[[2.50]]', '["3"]']);
  });

  it('give way to lines if the only column has texts of several lines', () => {
    const shown = (rows: (string | null)[][]) =>
      resultLines('box', [{ name: 'plan', type: 'text' }], rows, { width: 8, paint: plain });
    expect(shown([['a\tb\n  longer than the box\n'], [null]])).toEqual([
      'plan',
      'a b',
      '  longer than the box',
      'NULL',
    ]);
    expect(shown([['a']])).toHaveLength(6);
  });

  it('name types as SQL does', () => {
    expect(['long null', 'array(int null) null', 'Decimal(5, 2)'].map(typeName)).toEqual([
      'bigint',
      'array(integer null)',
      'numeric(5, 2)',
    ]);
  });
});

it('a progress line names what is known', () => {
  const progress = {
    percent: 41.6,
    status: 'RUNNING',
    elapsed: 4,
    rows_read: 1_200_000,
    bytes_read: 40e6,
    nodes: 3,
  };
  expect(progressText(progress)).toBe(' 42 % · 1.2 M rows (300 k/s) · 40 MB · 3 nodes · 4.0 s');
  expect(progressText({ ...progress, percent: null, rows_read: 0, bytes_read: 0, nodes: 1 })).toBe(
    'running · 4.0 s',
  );
  expect(progressText({ ...progress, status: 'SUSPENDED' })).toMatch(/^waiting/);
});

it.each([
  ['SELECT 1; SELECT 2', ['SELECT 1'], ' SELECT 2'],
  ["SELECT ';' -- ;\n; ", ["SELECT ';'"], ''],
  ['SELECT $a$;$a$', [], 'SELECT $a$;$a$'],
  ["SELECT 'open;", [], "SELECT 'open;"],
  ['SELECT /* ; */ 1;;', ['SELECT /* ; */ 1'], ''],
])('%j is divided', (text, complete, rest) => {
  const typed = typedStatements(text);
  expect(typed.complete.map((statement) => statement.text)).toEqual(complete);
  expect(typed.rest.trim()).toBe(rest.trim());
});

it('statements with secrets are not kept', () => {
  expect(mayBeKept("CREATE USER a PASSWORD 'x'")).toBe(false);
  expect(mayBeKept('SELECT 1')).toBe(true);
});

describe('files', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tessera-files-'));
    await writeFile(join(directory, 'my trips.csv'), 'a\n1\n');
  });
  afterAll(() => rm(directory, { recursive: true }));

  it('become uploads if FROM names them, and only then', async () => {
    const path = join(directory, 'my trips.csv');
    const named = namedFiles([path]);
    const { statement, parts } = await withLocalFiles(
      `SELECT '${path}' FROM '${path}' JOIN my_trips ON a = extract(year FROM '2024-01-01') WHERE b IN ('${path}')`,
      named,
    );
    expect(statement.sql).toBe(
      `SELECT '${path}' FROM 'upload://my_trips.csv' JOIN 'upload://my_trips.csv' ON a = extract(year FROM '2024-01-01') WHERE b IN ('${path}')`,
    );
    expect(parts).toMatchObject([{ name: 'my_trips.csv', path, sizeBytes: 4 }]);
    const untouched = "SELECT * FROM 'upload://x' JOIN READ_CSV('s3://b/x.csv') ON true";
    const other = await withLocalFiles(untouched, named);
    expect([other.statement.sql, other.parts]).toEqual([untouched, []]);
  });

  it('keep the name and the place that the user typed, in errors and notices', async () => {
    const path = join(directory, 'my trips.csv');
    const { statement } = await withLocalFiles(
      `SELECT 1;\nSELECT '😀', a FROM '${path}' JOIN my_trips ON nope`,
      namedFiles([path]),
    );
    const line = statement.sql.split('\n')[1]!;
    const errorAt = (word: string, width = word.length) => {
      const start_offset = [...line.slice(0, line.lastIndexOf(word))].length + 1;
      return {
        description: `Line 2, Column ${start_offset}: upload://my_trips.csv has no "${word}".`,
        resolution: 'Read upload://other.csv.',
        location: { failing_line: 2, start_offset, end_offset: start_offset + width - 1 },
      };
    };
    const typedLine = `SELECT '😀', a FROM '${path}' JOIN my_trips ON nope`;
    const columnOf = (word: string) => [...typedLine.slice(0, typedLine.lastIndexOf(word))].length + 1;
    const shown = (word: string) => statement.report([errorAt(word)]).split('\n');
    expect(shown('nope')[0]).toBe(`error: Line 2, Column ${columnOf('nope')}: ${path} has no "nope".`);
    expect(shown('nope')[2]).toMatch(/^ +\^{4}$/);
    expect(shown('nope').at(-1)).toBe('hint: Read upload://other.csv.');
    expect(shown('a FROM')[0]).toContain(`Column ${columnOf('a FROM')}:`);
    // A place at the name of a file is the whole name that the user typed.
    expect(statement.report([errorAt("'upload://my_trips.csv' ON")])).toContain(
      `Column ${columnOf('my_trips')}:`,
    );
    expect(statement.textAsTyped('upload://my_trips.csv is read as CSV')).toBe(`${path} is read as CSV`);
  });
});
