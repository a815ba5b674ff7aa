import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode } from '../testing/test-node.ts';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.open();
});

afterAll(async () => {
  await node[Symbol.asyncDispose]();
});

const file = (name: string, text: string): string => {
  const path = join(node.directory, 'files', name);
  writeFileSync(path, text);
  return path;
};

describe('COPY FROM', () => {
  it('reads CSV columns by position, or by the names in a header', async () => {
    await node.run("CREATE TABLE c1 (a INT NOT NULL, b TEXT DEFAULT 'none', d DATE)");
    const plain = file('plain.csv', '1,one,2024-01-01\n2,"t""wo",\n');
    expect((await node.run(`COPY c1 FROM '${plain}'`)).affectedRows).toBe(2);
    const named = file('named.csv', 'd;A;x\n2024-02-02;3;ignored\n');
    await node.run(`COPY INTO c1 FROM '${named}' WITH (HEADER = TRUE, DELIMITER = ';')`);
    const tabs = file('tabs.tsv', 'x\t4\n');
    await node.run(`COPY c1 (b $1, a $2) FROM '${tabs}'`);
    expect(await node.rows('SELECT * FROM c1 ORDER BY a')).toEqual([
      [1, 'one', '2024-01-01'],
      [2, 't"wo', null],
      [3, 'none', '2024-02-02'],
      [4, 'x', null],
    ]);
  });

  it('takes values from the content of files, not from folders that are named like a column', async () => {
    const folder = join(node.directory, 'files', 'k=7');
    mkdirSync(join(folder, 'line=7'), { recursive: true });
    file('k=7/a.csv', 'k,b\n1,2\n');
    file('k=7/a.json', '{"k": 1, "b": 2}\n');
    file('k=7/line=7/a.txt', 'one\n');
    await node.run(
      `COPY (SELECT 1::bigint AS k, 2::bigint AS b) TO '${folder}/a.parquet' WITH (TYPE = PARQUET)`,
    );
    await node.run('CREATE TABLE folders (k BIGINT, b BIGINT)');
    await node.run(`COPY folders FROM '${folder}/a.csv' WITH (HEADER = TRUE)`);
    await node.run(`COPY folders FROM '${folder}/a.json'`);
    await node.run(`COPY folders FROM '${folder}/a.parquet'`);
    const copied = Array.from({ length: 3 }, () => ['1', '2']);
    expect(await node.rows('SELECT * FROM folders')).toEqual(copied);
    const csv = `READ_CSV('${folder}/a.csv', HEADER => TRUE, HIVE_PARTITIONING => FALSE)`;
    expect(await node.rows(`SELECT * FROM ${csv}`)).toEqual([['1', '2']]);
    expect(await node.rows(`SELECT * FROM READ_JSON('${folder}/a.json')`)).toEqual([['1', '2']]);
    expect(await node.rows(`SELECT line FROM READ_TEXT('${folder}/line=7/a.txt')`)).toEqual([['one']]);
  });

  it('names the file of a row', async () => {
    await node.run('CREATE TABLE c2 (a INT, f TEXT, s BIGINT)');
    file('v-1.csv', '1\n');
    file('v-2.csv', '22\n');
    const pattern = join(node.directory, 'files', 'v-*.csv');
    await node.run(`COPY c2 (a, f $source_file_name, s $source_file_size) FROM '${pattern}'`);
    const rows = await node.rows("SELECT a, f LIKE '%v-_.csv%', s FROM c2 ORDER BY a");
    expect(rows).toEqual([
      [1, true, '2'],
      [22, true, '3'],
    ]);
  });

  it('takes a record that begins with # for data', async () => {
    await node.run('CREATE TABLE c8 (a TEXT, b TEXT)');
    const path = file('hashes.csv', '1,a\n#2,b\n3,c\n');
    expect((await node.run(`COPY c8 FROM '${path}'`)).affectedRows).toBe(3);
    expect(await node.rows("SELECT a FROM c8 WHERE b = 'b'")).toEqual([['#2']]);
  });

  it.each([
    ['x,2\n', 'CAST_ERROR'],
    ['1.75,2\n', 'CAST_ERROR'],
    ['1,2,2024-01-01 x\n', 'INVALID_DATETIME_FORMAT'],
    [',2\n', 'NOT_NULL_VIOLATION'],
  ])('a row that cannot be stored (%j) fails the whole statement: %s', async (line, name) => {
    await node.run('CREATE TABLE IF NOT EXISTS c3 (a INT NOT NULL, b INT, d DATE)');
    const path = file('bad.csv', line.split(',').length > 2 ? `1,1,\n${line}` : `1,1,\n${line.trim()},\n`);
    await expect(node.run(`COPY c3 FROM '${path}'`)).rejects.toMatchObject({ name });
    expect(await node.rows('SELECT count(*) FROM c3')).toEqual([['0']]);
  });

  it('MAX_ERRORS_PER_FILE skips up to that many rows', async () => {
    await node.run('CREATE TABLE c4 (a INT NOT NULL, b INT)');
    const path = file('some-bad.csv', '1,1\n1.5,2\n,3\n4,4\n5,5,5,5\n6,6\n');
    await expect(node.run(`COPY c4 FROM '${path}' WITH (MAX_ERRORS_PER_FILE = 2)`)).rejects.toMatchObject({
      name: 'BAD_FILE',
      message: /3 rows cannot be stored/,
    });
    expect((await node.run(`COPY c4 FROM '${path}' WITH (MAX_ERRORS_PER_FILE = '50%')`)).affectedRows).toBe(
      3,
    );
    expect(await node.rows('SELECT a FROM c4 ORDER BY a')).toEqual([[1], [4], [6]]);
  });

  it('reports what is wrong with the statement', async () => {
    await node.run('CREATE TABLE c5 (a INT)');
    const path = file('c5.csv', '1\n');
    for (const [sql, name] of [
      [`COPY c5 (nosuch) FROM '${path}'`, 'UNDEFINED_NAME'],
      [`COPY c5 (a $2) FROM '${path}'`, 'UNDEFINED_NAME'],
      [`COPY c5 FROM '${path}x'`, 'INVALID_ARGUMENT'],
      [`COPY c5 FROM '${path}.csv'`, 'FILE_NOT_FOUND'],
      ["COPY c5 FROM '/etc/passwd' WITH (TYPE = CSV)", 'LOCATION_NOT_ALLOWED'],
      [`COPY nosuch FROM '${path}'`, 'UNDEFINED_TABLE'],
      ["COPY c5 FROM 'upload://x'", 'INVALID_ARGUMENT'],
      ['COPY c5 FROM nosuch', 'UNDEFINED_OBJECT'],
    ] as const) {
      await expect(node.run(sql), sql).rejects.toMatchObject({ name });
    }
  });
});

describe('COPY TO', () => {
  it.each(['csv', 'tsv', 'jsonl', 'parquet', 'csv.gz'])(
    'writes %s that COPY FROM reads back',
    async (extension) => {
      await node.run(
        "CREATE TABLE IF NOT EXISTS o1 AS SELECT 1 AS a, 'x,\t\"y' AS b UNION ALL SELECT 2, NULL",
      );
      const path = join(node.directory, 'files', `out.${extension}`);
      const compression = extension.endsWith('.gz') ? ', COMPRESSION = gzip' : '';
      const type = extension === 'jsonl' ? 'JSON' : extension.split('.')[0]!.toUpperCase();
      const copied = await node.run(
        `COPY (SELECT * FROM o1) TO '${path}' WITH (TYPE = ${type}${compression})`,
      );
      expect(copied.affectedRows).toBe(2);
      const back = `back_${extension.replace('.', '_')}`;
      await node.run(`CREATE TABLE ${back} (a INT, b TEXT)`);
      await node.run(
        `COPY ${back} FROM '${path}' WITH (TYPE = ${type}${extension === 'jsonl' || extension === 'parquet' ? '' : ', HEADER = TRUE'})`,
      );
      expect(await node.rows(`SELECT * FROM ${back} ORDER BY a`)).toEqual([
        [1, 'x,\t"y'],
        [2, null],
      ]);
    },
  );

  it('writes Parquet with Bloom filters of columns with few values, by which reads with = skip row groups', async () => {
    const path = join(node.directory, 'files', 'filters.parquet');
    const group = 122_880;
    // Every row group has values from the whole range, so that minima and maxima exclude nothing.
    const few = `md5(((i % 500) * 2 + i // ${group})::text)`;
    await node.run(
      `COPY (SELECT ${few} AS few, md5(i::text) AS many FROM generate_series(0, ${2 * group - 1}) AS g(i) ORDER BY i)
       TO '${path}' WITH (TYPE = PARQUET)`,
    );
    const session = await node.kernel.session();
    const read = await session.scalar(
      `SELECT CAST(to_json(list({name: path_in_schema, filter: bloom_filter_offset,
         start: coalesce(dictionary_page_offset, data_page_offset), bytes: total_compressed_size} ORDER BY row_group_id)) AS VARCHAR)
       FROM parquet_metadata('${path}')`,
    );
    await session.close();
    const chunks = JSON.parse(String(read)) as {
      name: string;
      filter: number | null;
      start: number;
      bytes: number;
    }[];
    const [first, ...others] = chunks.filter(({ name }) => name === 'few');
    expect(others).toHaveLength(1);
    const end = Math.max(...chunks.map(({ start, bytes }) => start + bytes));
    for (const { name, filter } of chunks)
      if (name === 'few') expect(filter).toBeGreaterThanOrEqual(end);
      else expect(filter).toBeNull();
    // Without the bytes of the first row group, only queries that skip it have an answer.
    const damaged = readFileSync(path);
    damaged.fill(255, first!.start, first!.start + first!.bytes);
    writeFileSync(path, damaged);
    const count = (where: string) => node.rows(`SELECT count(*) FROM READ_PARQUET('${path}') WHERE ${where}`);
    expect(await count("few = md5('3')")).toEqual([['246']]);
    await expect(count("few = md5('2')")).rejects.toThrow();
    await expect(count("few IN (md5('3'), md5('5'))")).rejects.toThrow();
  });

  it('is refused for places where the engine may not write', async () => {
    await expect(node.run("COPY (SELECT 1) TO '/etc/x.csv'")).rejects.toMatchObject({ name: 'FORBIDDEN' });
  });
});

describe('ERROR_FILE', () => {
  it('reports the skipped rows and the reason', async () => {
    await node.run('CREATE TABLE e1 (a INT)');
    const path = file('e1.csv', '1\nx\n');
    const errors = join(node.directory, 'files', 'e1-errors.csv');
    await node.run(`COPY e1 FROM '${path}' WITH (MAX_ERRORS_PER_FILE = 1, ERROR_FILE = '${errors}')`);
    expect(readFileSync(errors, 'utf8').split('\n')).toEqual([
      'file_name,line_number,error_message,line',
      `${path},,column a: cannot read 'x' as INTEGER,x`,
      '',
    ]);
  });
});

describe('locations', () => {
  it('stand for a URL in read functions, COPY and external tables', async () => {
    file('loc-1.csv', '1\n');
    file('loc-2.csv', '22\n');
    const place = join(node.directory, 'files');
    await node.run(`CREATE LOCATION here WITH SOURCE = LOCAL URL = '${place}'`);
    const read = "SELECT f0 FROM READ_CSV(LOCATION => 'here', PATTERN => 'loc-*.csv') ORDER BY 1";
    expect(await node.rows(read)).toEqual([['1'], ['22']]);
    await node.run('CREATE TABLE l1 (a INT)');
    await node.run("COPY l1 FROM here WITH (PATTERN = 'loc-*.csv')");
    expect(await node.rows('SELECT sum(a) FROM l1')).toEqual([['23']]);
    await node.run(
      "CREATE EXTERNAL TABLE l2 (a INT) LOCATION = here OBJECT_PATTERN = 'loc-2.csv' TYPE = (CSV)",
    );
    expect(await node.rows('SELECT a FROM l2')).toEqual([[22]]);
    const listed = `SELECT split_part(object_name, '/', -1), size_in_bytes, last_modified > '2020-01-01'
      FROM LIST_OBJECTS(LOCATION => 'here', PATTERN => 'loc-*.csv') ORDER BY 1`;
    for (let again = 0; again < 2; again += 1) {
      expect(await node.rows(listed)).toEqual([
        ['loc-1.csv', '2', true],
        ['loc-2.csv', '3', true],
      ]);
    }
    const all =
      "SELECT count(*) > 1 FROM LIST_OBJECTS(LOCATION => 'here') WHERE object_name LIKE '%/loc-_.csv'";
    expect(await node.rows(all)).toEqual([[true]]);
    await expect(node.rows("SELECT * FROM READ_CSV(LOCATION => 'nosuch')")).rejects.toMatchObject({
      name: 'UNDEFINED_OBJECT',
    });
    await expect(node.run('DROP LOCATION here')).rejects.toMatchObject({ name: 'DEPENDENT_OBJECTS' });
    await node.run('DROP LOCATION here CASCADE');
  });
});
