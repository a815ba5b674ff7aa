import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { query, rows } from './http.ts';
import type { TesseraProcess } from './tessera-process.ts';

/** A node that may read a directory. */
export interface FolderScope {
  readonly node: () => TesseraProcess;
  readonly directory: () => string;
  /** Writes a file below the directory. */
  readonly write: (path: string, content: string | Buffer) => Promise<void>;
  /** `options` are those of the kernel's COPY. */
  readonly parquet: (path: string, sql: string, options?: string) => Promise<string>;
}

/** Tests of CSV and text files in folders named `key=value`. */
export function testTextFolders({ node, directory, write, parquet }: FolderScope): void {
  const run = async (sql: string) => {
    const answer = await query(node(), sql);
    expect(answer.status, answer.text).toBe(200);
  };
  const failure = async (sql: string) => (await query(node(), sql)).json().errors[0];
  const tableLine = async (sql: string): Promise<string> =>
    String((await rows(node(), `EXPLAIN ${sql}`))[0]![0]);

  describe('CSV files in folders named key=value', () => {
    beforeAll(async () => {
      await write('orders/year=2023/a.csv', 'id,day,note\n1,2023-12-31,"two\nlines"\n2,2023-12-30,\n');
      // The columns have another order.
      await write('orders/year=2024/b.csv', 'note,id,day\nx,3,2024-01-02\n');
      await write('orders/year=__HIVE_DEFAULT_PARTITION__/c.csv', 'id,day,note\n4,2024-01-03,y');
      await write('orders/_SUCCESS', '');
    });
    const orders = (options = '') => `READ_CSV('${directory()}/orders/', HEADER => TRUE${options})`;

    it('have the columns of the files by name, then those of the folders', async () => {
      expect(await rows(node(), `SELECT * FROM ${orders()} ORDER BY id`)).toEqual([
        ['1', '2023-12-31', 'two\nlines', '2023'],
        ['2', '2023-12-30', null, '2023'],
        ['3', '2024-01-02', 'x', '2024'],
        ['4', '2024-01-03', 'y', null],
      ]);
      expect(
        await rows(
          node(),
          `SELECT max(id)::int, min(day), max(day), sum(year)::int FROM ${orders(', INFER_SCHEMA => TRUE')}`,
        ),
      ).toEqual([[4, '2023-12-30', '2024-01-03', 6070]]);
      // Only a file other than the first is read.
      expect(
        await rows(node(), `SELECT id::int, day FROM ${orders(', INFER_SCHEMA => TRUE')} WHERE year = 2024`),
      ).toEqual([[3, '2024-01-02']]);
      expect(
        await rows(
          node(),
          `SELECT id, year FROM READ_FILES('${directory()}/orders/*/*.csv', HEADER => TRUE) ORDER BY id DESC LIMIT 2`,
        ),
      ).toEqual([
        ['4', null],
        ['3', '2024'],
      ]);
      expect(await rows(node(), `SELECT count(*)::int FROM ${orders()}`)).toEqual([[4]]);
      const plain = `READ_CSV('${directory()}/orders/*/*.csv', HEADER => TRUE, HIVE_PARTITIONING => FALSE)`;
      expect(await rows(node(), `SELECT * FROM ${plain} WHERE id = '3'`)).toEqual([['3', '2024-01-02', 'x']]);
    });

    it('are pruned by WHERE before a file is opened', async () => {
      expect(await tableLine(`SELECT id FROM ${orders()} WHERE year = 2024`)).toMatch(
        /files 1 of 3 \(2 pruned by partition, 0 by min\/max\); columns year, id;/,
      );
      expect(await rows(node(), `SELECT count(*)::int FROM ${orders()} WHERE year = 1999`)).toEqual([[0]]);
    });

    it('are right if the files have a column that is named as one of the kernel', async () => {
      for (const k of [7, 8]) {
        await write(`index-csv/k=${k}/1.csv`, `file_index\n${9 - k}\n`);
        await parquet(`index-parquet/k=${k}/1.parquet`, `SELECT ${9 - k}::bigint AS file_index`);
      }
      for (const read of ["READ_CSV('dir/index-csv/', HEADER => TRUE)", "READ_PARQUET('dir/index-parquet/')"])
        expect(
          await rows(
            node(),
            `SELECT file_index::int, k::int FROM ${read.replace('dir', directory)} ORDER BY 1`,
          ),
        ).toEqual([
          [1, 8],
          [2, 7],
        ]);
    });

    it('are read with types of the first file, into which the values of others must fit', async () => {
      await write('types/k=7/1.csv', 'n,t\n1,a\n2,b\n');
      await write('types/k=8/1.csv', 'n,t\n3,c\n');
      const read = `READ_CSV('${directory()}/types/', HEADER => TRUE, INFER_SCHEMA => TRUE)`;
      expect(await rows(node(), `SELECT sum(n)::int, sum(k)::int FROM ${read}`)).toEqual([[6, 22]]);
      await write('types/k=9/1.csv', 'n,t\n1.75,c\n');
      const failed = rows(node(), `SELECT sum(n)::int FROM ${read}`);
      await expect(failed).rejects.toThrow('invalid input syntax for type bigint: "1.75"');
    });

    it('are columns of external tables after those of the files', async () => {
      await write('plain/k=7/1.csv.gz', gzipSync('1;a\n2;b\n'));
      await write('plain/k=8/1.csv.gz', gzipSync('3;c\n'));
      await run(
        `CREATE EXTERNAL TABLE plain (a INT, b TEXT, k INT) URL = '${directory()}/plain/' OBJECT_PATTERN = '**/*.csv.gz' TYPE = (CSV) FIELD_DELIMITER = ';'`,
      );
      expect(await rows(node(), "SELECT *, $source_file_name LIKE '%k=7%' FROM plain WHERE k = 7")).toEqual([
        [1, 'a', 7, true],
        [2, 'b', 7, true],
      ]);
      expect(await rows(node(), 'SELECT sum(a)::int, sum(k)::int FROM plain')).toEqual([[6, 22]]);
    });

    it('are refused with the file and its line if a file does not fit', async () => {
      await write('broken/k=1/a.csv', 'id\n1\n');
      await write('broken/k=2/b.csv', 'other\n1\n');
      const broken = `SELECT sum(id::int) FROM READ_CSV('${directory()}/broken/', HEADER => TRUE)`;
      expect((await failure(`${broken} WHERE k = 2`)).description).toMatch(/k=2\/b\.csv.*"id" is missing/s);
      expect(await rows(node(), `${broken} WHERE k = 1`)).toEqual([['1']]);
      await write('broken/k=3/c.csv', 'id\nx\n');
      expect((await failure(`${broken} WHERE k = 3`)).description).toMatch(
        /k=3\/c\.csv, line 2, column "id": .*"x"/,
      );
    });
  });

  it('READ_TEXT reads files below a folder that is named like a column of the kernel', async () => {
    for (const [name, text] of Object.entries({
      'content=7/a': 'b\rc\nd\r\n',
      'other=7/a': '\u{feff}b\rc\nd\r\n',
    })) {
      await write(`texts/${name}.txt`, text);
      expect(
        await rows(
          node(),
          `SELECT line, line_number FROM READ_TEXT('${directory()}/texts/${name}.txt') ORDER BY 2`,
        ),
      ).toEqual([
        ['b\rc', '1'],
        ['d', '2'],
      ]);
    }
  });
}
