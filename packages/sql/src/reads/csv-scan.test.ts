import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kernel, type KernelSession, quoteName, quoteText, startKernel } from '@tessera/kernel';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deparse } from '../parse/parse.ts';
import { selectAll } from '../tree.ts';
import { csvScan } from './csv-scan.ts';

let directory: string;
let kernel: Kernel;
let session: KernelSession;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tessera-csv-'));
  kernel = await startKernel({
    directory: join(directory, 'kernel'),
    readableDirectories: [directory],
    memoryLimitBytes: 500_000_000,
    threads: 2,
    bootstrap: [],
    log: { info: () => {}, warn: () => {}, error: () => {} },
  });
  session = await kernel.session();
});
afterAll(async () => {
  await session.close();
  await kernel.close();
  await rm(directory, { recursive: true });
});

/** More records than the kernel looks at to infer types, of which one late one differs. */
const late = (header: string, usual: (n: number) => string, late: string): string =>
  [header, ...Array.from({ length: 30_000 }, (_, n) => (n === 25_000 ? late : usual(n))), ''].join('\n');

const FILES: Readonly<Record<string, string>> = {
  crlf: 'a,b\r\n1,x\r\n2,y\r\n',
  cr: 'a,b\r1,x\r2,y\r',
  'mixed ends of lines': 'a,b\r\n1,x\n2,y\r\n',
  'another end of line, late': late('a,b', (n) => `${n},x`, '1,x\r'),
  'no last end of line': 'a,b\n1,x',
  'header only': 'a,b',
  empty: '',
  'empty lines': '\n\n\n',
  'an empty first line': '\n\na,b\n1,2\n',
  'empty lines between records': 'a,b\n1,2\n\n3,4\n',
  'empty lines in one column': 'a\n1\n\n3\n',
  'repeated names': 'a,a,A,\n1,2,3,4\n',
  'names that are numbers': '2,10,1\nx,1,2020-01-01\n',
  'names with quotes and spaces': '"a\'b""c","d,e", f \n1,2,3\n',
  'a byte order mark': '\ufeffa,b\n1,2\n',
  'days before months': 'd,t\n01/02/2024,2024-01-02 03:04:05\n13/02/2024,2024-01-02 03:04:05.123\n',
  'months before days': 'd,t\n02/13/2024,02/13/2024 10:11:12\n',
  'a date in another order, late': late('d', () => '2024-01-02', '01/02/2024'),
  'a date with a time, late': late('d', () => '2024-01-02', '2024-01-02 10:00'),
  'times and zones': 't,z\n10:11:12,2024-01-02 03:04:05+02\n10:11:12,2024-01-02T03:04:05Z\n',
  'a short record': 'a,b\n1,2\n3\n',
  'a short record, late': late('a,b', (n) => `${n},x`, '1'),
  'a long record, late': late('a,b', (n) => `${n},x`, '1,2,3'),
  'a text, late': late('a,b', (n) => `${n},x`, 'zz,x'),
  'an open quote, late': late('a,b', (n) => `${n},x`, '"1,x'),
  'text after a quote': 'a,b\n"x"y,1\n',
  'line ends and quotes in quotes': 'a,b\r\n"x\r\ny",1\r\n"z""z",2\r\n',
  'nulls and empty texts': 'a,b,c\n,"",\n1,,\n',
  'values that may be of several types': 'a,b,c,d,e\ntrue,inf,+1,1e5,007\nFALSE,1.5,-0,2, 7\n',
  'records that begin with #': 'a,b\n#1,2\n3,4\n',
  'a delimiter at the end': 'a,b\n1,2,\n3,4,\n',
};

describe('a file is read as the kernel reads it by its own inference', () => {
  const settings = (header: boolean, infer: boolean) =>
    `delim = ',', quote = '"', escape = '"', header = ${header}, comment = '', nullstr = [''], allow_quoted_nulls = false, all_varchar = ${!infer}`;

  test.for(Object.entries(FILES))('%s', async ([name, content]) => {
    const path = join(directory, name);
    await writeFile(path, content);
    for (const header of [true, false])
      for (const infer_schema of [true, false])
        for (const null_padding of [true, false]) {
          const padding = null_padding ? 'null_padding = true, parallel = false' : 'skip = 0';
          const own = `read_csv(${quoteText(path)}, ${settings(header, infer_schema)}, ${padding})`;
          const options = { header, infer_schema, null_padding };
          expect(await rowsOf(path, options), JSON.stringify(options)).toEqual(
            await outcome(async () => {
              const { columns } = await session.describe(`SELECT * FROM ${own}`);
              const names = columns.map((column, i) => (header ? column.name : `f${i}`));
              return digest(`(SELECT * FROM ${own} AS f(${names.map(quoteName).join(', ')}))`);
            }),
          );
        }
  });
});

test('the kernel infers nothing when it binds the scan of one file', async () => {
  const path = join(directory, 'once');
  await writeFile(path, 'a,b\n1,x\n');
  const { sql } = await scanned(path, { header: true, infer_schema: true });
  expect(sql).toMatch(/auto_detect := CAST\('f' AS BOOLEAN\)/);
  // If it did, it would find two integers and a header.
  await writeFile(path, '1,2\n3,4\n');
  const { columns } = await session.describe(sql);
  expect(columns).toMatchObject([
    { name: 'a', type: { id: 'VARCHAR' } },
    { name: 'b', type: { id: 'VARCHAR' } },
  ]);
});

type Options = Parameters<typeof csvScan>[0]['options'];

async function scanned(path: string, options: Options) {
  const args = { function: 'read_csv', url: 'upload://f', options } as const;
  const { scan, integers } = await csvScan(args, [path], session);
  const from = selectAll({
    type: 'TABLE_FUNCTION',
    alias: '',
    sample: null,
    query_location: 0,
    with_ordinality: 'WITHOUT_ORDINALITY',

    function: scan,
    column_name_alias: [],
  });
  return { sql: await deparse(session, { node: from, named_param_map: [] }), integers };
}

const rowsOf = (path: string, options: Options) =>
  outcome(async () => {
    const { sql, integers } = await scanned(path, options);
    const casts = [...integers].map((name) => `CAST(${quoteName(name)} AS BIGINT) AS ${quoteName(name)}`);
    return digest(`(SELECT * ${casts.length === 0 ? '' : `REPLACE (${casts.join(', ')})`} FROM (${sql}))`);
  });

/** Names and types of the columns, the number of rows, and the rows, or a hash if they are many. */
async function digest(relation: string): Promise<unknown> {
  const { columns } = await session.describe(`SELECT * FROM ${relation}`);
  const rows = await session.scalar(
    `SELECT CASE WHEN count(*) < 100 THEN string_agg(f::VARCHAR, '|') ELSE count(*) || ': ' || md5(string_agg(f::VARCHAR, '|')) END FROM ${relation} AS f`,
  );
  return { columns: columns.map(({ name, type }) => `${name} ${type.id}`), rows };
}

/** Errors are only compared by whether there is one: they are translated at several places. */
const outcome = (work: () => Promise<unknown>): Promise<unknown> => work().catch(() => 'refused');
