import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { prepareQuery } from '../src/index.ts';
import { Dialect, recorded } from './dialect.ts';

let dialect: Dialect;
beforeAll(async () => {
  dialect = await Dialect.open();
  await dialect.file('people.csv', 'Name,age\nada,36\n"Grace ""G""",\n"",85\n');
  await dialect.file('semi', "a;'x;y';null\n;'it''s';2\n");
  await dialect.file('ragged', 'a,b\n1\n1,2,3\n');
  const numbers = Array.from({ length: 21_000 }, (_, i) => `${i},x${i % 3}`);
  await dialect.file('fraction', ['n,t', ...numbers, '1.75,y', ''].join('\n'));
  const objects = numbers.map((_, n) => JSON.stringify({ n }));
  await dialect.file('late', [...objects, '{"n": 1.75, "more": true}', ''].join('\n'));
  await dialect.file('whole', ['n,t', ...numbers, ' 7 ,y', ''].join('\n'));
  await dialect.file('hashes', 'n,t\n1,a\n#2,b\n3,c\n');
  await dialect.file('newlines', 'a,b\n1,"x\ny"\n');
  await dialect.file('open', 'a,b\n1,"x\n2,y\n');
  await dialect.file('empty', '');
  await dialect.file('people.csv.gz', gzipSync('a,b\n1,2\n'));
  await dialect.file('lines', 'one\r\n\n"two",  \nnul\u0000l\nlast');
  await dialect.file('cr', 'one\r\n\r\nthr\ree\nlast');
  await dialect.file('cr.gz', gzipSync('one\r\n\r\nthr\ree\nlast'));
  await dialect.file('lines.gz', gzipSync('a\nb\n'));
  await dialect.file('zipped', gzipSync('a\nb\n'));
  await dialect.file('bom', '\ufefffirst\n');
  await dialect.file('long', `${'x'.repeat(5_000_000)}\ny\n`);
  await dialect.file('latin1', Buffer.from('caf\xe9\n', 'latin1'));
  await dialect.file('events', '{"a":1,"b":{"c":"x"}}\n{"a":2,"b":null}\n');
});
afterAll(() => dialect[Symbol.asyncDispose]());

describe('READ_CSV', () => {
  test('without options every field is TEXT in columns f0, f1, …', async () => {
    const sql = "SELECT * FROM READ_CSV('upload://people.csv')";
    expect(await dialect.columns(sql)).toEqual(['f0: text null', 'f1: text null']);
    expect(await dialect.rows(sql)).toEqual([
      ['Name', 'age'],
      ['ada', '36'],
      ['Grace "G"', null],
      ['', '85'],
    ]);
  });

  test('HEADER names the columns, INFER_SCHEMA gives them types', async () => {
    const header = "SELECT * FROM read_csv('upload://people.csv', HEADER => true)";
    expect(await dialect.columns(header)).toEqual(['Name: text null', 'age: text null']);
    const both = "SELECT * FROM Read_Csv('upload://people.csv', header => true, Infer_Schema => true)";
    expect(await dialect.columns(both)).toEqual(['Name: text null', 'age: long null']);
    expect(await dialect.rows(`SELECT sum(age), min(name) FROM (${both})`)).toEqual([['121', '']]);
    const infer = "SELECT * FROM read_csv('upload://newlines', INFER_SCHEMA => true)";
    expect(await dialect.columns(infer)).toEqual(['f0: text null', 'f1: text null']);
  });

  test('a fraction after the rows from which INFER_SCHEMA infers an integer is an error and is not rounded', async () => {
    const read = (file: string) => `read_csv('upload://${file}', HEADER => true, INFER_SCHEMA => true)`;
    const whole = await dialect.rows(`SELECT sum(n)::text, max(t), count(*)::text FROM ${read('whole')}`);
    expect(whole).toEqual([['220489507', 'y', '21001']]);
    expect(await dialect.rows(`SELECT x, y FROM ${read('whole')} AS w(x, y) WHERE x = 7 ORDER BY y`)).toEqual(
      [
        ['7', 'x1'],
        ['7', 'y'],
      ],
    );
    const column = "read_csv('upload://fraction', HEADER => true)";
    for (const query of [
      `SELECT sum(n) FROM ${read('fraction')}`,
      `SELECT s.* FROM (SELECT n::bigint FROM ${column}) AS s ORDER BY n DESC LIMIT 1`,
      `SELECT (SELECT max(n::bigint) FROM ${column}) FROM (SELECT 1::bigint AS n) AS outer_rows`,
    ])
      await expect(dialect.rows(query), query).rejects.toThrow(
        'invalid input syntax for type bigint: "1.75"',
      );
    expect(await dialect.rows(`SELECT count(t)::text FROM ${read('fraction')}`)).toEqual([['21001']]);
  });

  test('DELIMITER, QUOTE, ESCAPE, NULL_STRING, EMPTY_FIELD_AS_NULL', async () => {
    const read = (more: string) =>
      dialect.rows(`SELECT * FROM read_csv('upload://semi', DELIMITER => ';', QUOTE => ''''${more})`);
    expect(await read('')).toEqual([
      ['a', 'x;y', 'null'],
      [null, "it's", '2'],
    ]);
    expect(await read(", NULL_STRING => 'null', EMPTY_FIELD_AS_NULL => false")).toEqual([
      ['a', 'x;y', null],
      ['', "it's", '2'],
    ]);
    expect(await read(', EMPTY_FIELD_AS_NULL => false')).toEqual([
      ['a', 'x;y', 'null'],
      ['', "it's", '2'],
    ]);
  });

  test('no row is passed over: short rows are refused or padded as asked, quoted line ends are kept', async () => {
    await expect(dialect.rows("SELECT * FROM read_csv('upload://ragged')")).rejects.toMatchObject({
      name: 'BAD_FILE',
      message: expect.stringContaining('upload://ragged'),
    });
    expect(await dialect.rows("SELECT * FROM read_csv('upload://ragged', NULL_PADDING => TRUE)")).toEqual([
      ['a', 'b', null],
      ['1', null, null],
      ['1', '2', '3'],
    ]);
    expect(await dialect.rows("SELECT * FROM read_csv('upload://newlines', HEADER => true)")).toEqual([
      ['1', 'x\ny'],
    ]);
    expect(await dialect.rows("SELECT * FROM read_csv('upload://empty')")).toEqual([]);
    for (const options of ['', ', NULL_PADDING => TRUE', ', INFER_SCHEMA => TRUE'])
      expect(
        await dialect.rows(`SELECT * FROM read_csv('upload://hashes', HEADER => true${options})`),
      ).toEqual([
        ['1', 'a'],
        ['#2', 'b'],
        ['3', 'c'],
      ]);
    expect(await dialect.rows("SELECT * FROM read_csv('upload://people.csv.gz')")).toEqual([
      ['a', 'b'],
      ['1', '2'],
    ]);
  });

  test('a file that is no such CSV is named', async () => {
    await expect(dialect.rows("SELECT * FROM read_csv('upload://open')")).rejects.toMatchObject({
      name: 'BAD_FILE',
      message: expect.stringContaining('upload://open'),
    });
  });

  test('names: alias, column aliases, the name of the function', async () => {
    expect(await dialect.columns("SELECT p.f0 FROM read_csv('upload://people.csv') p")).toEqual([
      'f0: text null',
    ]);
    expect(await dialect.columns("SELECT x FROM read_csv('upload://people.csv') AS p(x)")).toEqual([
      'x: text null',
    ]);
    expect(await dialect.columns("SELECT read_csv.f1 FROM READ_CSV('upload://people.csv')")).toEqual([
      'f1: text null',
    ]);
  });
});

describe('READ_TEXT', () => {
  test('one row a line, at LF or CR LF, as it stands', async () => {
    expect(await dialect.rows("SELECT * FROM READ_TEXT('upload://lines')")).toEqual([
      ['one', 'upload://lines', '1'],
      ['', 'upload://lines', '2'],
      ['"two",  ', 'upload://lines', '3'],
      ['nul\u0000l', 'upload://lines', '4'],
      ['last', 'upload://lines', '5'],
    ]);
    expect(await dialect.columns("SELECT * FROM READ_TEXT('upload://lines')")).toEqual([
      'line: text null',
      'file: text null',
      'line_number: long null',
    ]);
  });

  test('a CR that stands alone is part of its line', async () => {
    expect(await dialect.rows("SELECT line, line_number FROM read_text('upload://cr')")).toEqual([
      ['one', '1'],
      ['', '2'],
      ['thr\ree', '3'],
      ['last', '4'],
    ]);
    await expect(dialect.rows("SELECT * FROM read_text('upload://cr.gz')")).rejects.toMatchObject({
      name: 'BAD_FILE',
      message: expect.stringContaining('byte 10'),
    });
  });

  test('compressed files', async () => {
    expect(await dialect.rows("SELECT line FROM read_text('upload://lines.gz')")).toEqual([['a'], ['b']]);
    const renamed = "SELECT line FROM read_text('upload://zipped', COMPRESSION => 'gzip')";
    expect(await dialect.rows(renamed)).toEqual([['a'], ['b']]);
  });

  test('empty files, byte order marks, very long lines', async () => {
    expect(await dialect.rows("SELECT line FROM read_text('upload://empty')")).toEqual([]);
    expect(await dialect.rows("SELECT line FROM read_text('upload://bom')")).toEqual([['first']]);
    expect(await dialect.rows("SELECT length(line) FROM read_text('upload://long')")).toEqual([
      ['5000000'],
      ['1'],
    ]);
  });

  test('text that is not UTF-8 is refused', async () => {
    await expect(dialect.rows("SELECT * FROM read_text('upload://latin1')")).rejects.toThrow(/utf-8/i);
  });
});

test('READ_JSON, and READ_FILES by extension', async () => {
  expect(await dialect.rows("SELECT a, b.c FROM read_json('upload://events')")).toEqual([
    ['1', 'x'],
    ['2', null],
  ]);
  expect(await dialect.rows("SELECT count(*) FROM read_files('upload://people.csv')")).toEqual([['4']]);
});

test('columns whose names are numbers keep their order', async () => {
  await dialect.file('numbers.json', '{"2":"x","10":1,"1":true}\n');
  await dialect.file('numbers.csv', '2,10,1\nx,1,true\n');
  for (const read of [
    "read_json('upload://numbers.json')",
    "read_csv('upload://numbers.csv', HEADER => true, INFER_SCHEMA => true)",
  ]) {
    expect(await dialect.rows(`SELECT * FROM ${read}`)).toEqual([['x', '1', true]]);
    expect(await dialect.columns(`SELECT * FROM ${read}`)).toEqual([
      '2: text null',
      '10: long null',
      '1: boolean null',
    ]);
  }
});

test('the types of READ_JSON follow from all rows', async () => {
  const late = "SELECT sum(n)::text, count(more)::text FROM read_json('upload://late')";
  expect(await dialect.rows(late)).toEqual([['220489501.75', '1']]);
});

test('the columns of a JSON file that is compressed or long are inferred once', async () => {
  const object = JSON.stringify({ a: 'x'.repeat(100) });
  await dialect.file('long.json', `${object}\n`.repeat(20_000));
  await dialect.file('short.json.gz', gzipSync(`${object}\n`));
  for (const file of ['long.json', 'short.json.gz']) {
    const { session, calls } = recorded(dialect.context().session);
    const context = { ...dialect.context(), session };
    const prepared = await prepareQuery(`SELECT * FROM read_json('upload://${file}')`, context);
    expect(prepared.columns).toMatchObject([{ name: 'a', type: { kind: 'text' } }]);
    expect(calls.filter(({ argument }) => argument.includes('sample_size = -1'))).toHaveLength(1);
  }
});

const REFUSED: readonly (readonly [call: string, message: RegExp])[] = [
  ['read_csv()', /READ_CSV: the URL to read is missing/],
  ["read_csv('')", /URL is empty/],
  ["read_csv('upload://')", /names no file/],
  ["read_csv('upload://a*')", /patterns do not work with upload:\/\//],
  ["read_csv('upload://a/b')", /the name of an upload/],
  ["read_csv('upload://a', 'upload://b')", /one positional argument/],
  ["read_csv(['upload://a'])", /must be a string literal/],
  ["read_csv('upload://a', HEADERS => true)", /unknown argument HEADERS \(did you mean HEADER\?\)/],
  ["read_csv('upload://a', HEADER => 'yes')", /HEADER must be true or false/],
  ["read_csv('upload://a', DELIMITER => 'ab')", /DELIMITER must be a string of one character/],
  ["read_csv('upload://a', COMPRESSION => 'rar')", /COMPRESSION must be one of/],
  ["read_csv('upload://a', HEADER => true, header => false)", /HEADER is specified twice/],
  ["read_parquet('upload://a', HEADER => true)", /READ_PARQUET: unknown argument HEADER/],
  ["read_parquet('upload://a', union_by_name => true)", /unknown argument UNION_BY_NAME/],
  ["read_files('upload://a')", /cannot determine the format/],
];

test.for(REFUSED)('%s is refused', async ([call, message]) => {
  const failure = expect(dialect.rows(`SELECT *\nFROM ${call}`)).rejects;
  await failure.toMatchObject({ name: 'INVALID_ARGUMENT', location: { line: 2 } });
  await expect(dialect.rows(`SELECT *\nFROM ${call}`)).rejects.toThrow(message);
});

test('LOCATION comes with storage', async () => {
  await expect(dialect.rows("SELECT * FROM read_csv(LOCATION => 'l')")).rejects.toMatchObject({
    name: 'NOT_SUPPORTED',
  });
});
