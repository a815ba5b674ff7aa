import { expect, test } from 'vitest';
import { cellText, describedIn, isNumeric, placeIn, readAnswer } from './answer.ts';

const result = { meta: [{ name: 'x', type: 'int' }], data: [[1]], rows: 1, statistics: { elapsed: 0.5 } };

test('a result becomes columns, rows and the time the engine took', () => {
  expect(readAnswer(200, JSON.stringify(result))).toEqual({
    kind: 'rows',
    columns: [{ name: 'x', type: 'integer' }],
    rows: [[1]],
    statistics: { elapsed: 0.5 },
    notices: [],
  });
});

test('types have the names of SQL', () => {
  const types = [
    'long null',
    'array(double null) null',
    'Decimal(12, 2)',
    'struct(a int null, b text null)',
    'date',
  ];
  const body = JSON.stringify({ ...result, meta: types.map((type) => ({ name: 'x', type })), data: [] });
  const answer = readAnswer(200, body);
  expect(answer.kind === 'rows' && answer.columns.map(({ type }) => type)).toEqual([
    'bigint',
    'array(double precision)',
    'numeric(12, 2)',
    'struct(a integer, b text)',
    'date',
  ]);
});

test('an empty body is a statement without a result', () => {
  const headers = (name: string) => (name === 'X-Tessera-Affected-Rows' ? '7' : null);
  expect(readAnswer(200, '', headers)).toEqual({ kind: 'done', affectedRows: '7', notices: [] });
});

test.each([200, 400, 500])('errors in the body count whatever the status (%d)', (status) => {
  const failures = [{ description: 'Line 1, Column 8: no', name: 'SYNTAX_ERROR' }];
  expect(readAnswer(status, JSON.stringify({ errors: failures, message: 'no' }))).toEqual({
    kind: 'failed',
    failures,
  });
});

test.each([
  [0, '', 'could not be reached'],
  [502, '<html>Bad gateway</html>', 'HTTP status 502: <html>Bad gateway</html>'],
  [503, '', 'HTTP status 503'],
  [200, 'x\n1\n', 'not a result'],
  [200, 'null', 'not a result'],
  [200, '{"meta":[', 'not a result'],
])('status %d with body %j fails: %s', (status, body, description) => {
  expect(readAnswer(status, body)).toEqual({
    kind: 'failed',
    failures: [{ description: expect.stringContaining(description) }],
  });
});

test.each([
  [null, 'NULL'],
  [0, '0'],
  ['', ''],
  [false, 'false'],
  [[1, null], '[1,null]'],
  [{ a: 'x' }, '{"a":"x"}'],
  ['9007199254740993', '9007199254740993'],
])('the cell of %j is %j', (value, text) => {
  expect(cellText(value)).toBe(text);
});

test('numbers in arrays have no quotes, and texts have', () => {
  expect(cellText(['9007199254740993', null], 'array(bigint)')).toBe('[9007199254740993,null]');
  expect(cellText([['1.50']], 'array(array(numeric(10, 2)))')).toBe('[[1.50]]');
  expect(cellText(['1'], 'array(text)')).toBe('["1"]');
});

test('recognises numeric types, nullable or not, and nothing else', () => {
  expect(['integer', 'bigint', 'double precision', 'real', 'numeric(10, 2)'].every(isNumeric)).toBe(true);
  expect(['text', 'array(int)', 'interval', 'date', 'timestamp null'].some(isNumeric)).toBe(false);
});

/** The marked text of a statement. */
function marked(sql: string, line: number, from: number, to: number): string | undefined {
  const place = placeIn(sql, { failing_line: line, start_offset: from, end_offset: to });
  return place && sql.slice(place.start, place.end);
}

test.each([
  ['a single position grows to its word', 'SELECT nope', 1, 8, 8, 'nope'],
  ['on a later line', 'SELECT 1,\n  foo(2)\nFROM t', 2, 3, 3, 'foo'],
  ['a quoted name is one word', 'SELECT "a b" + 1', 1, 8, 8, '"a b"'],
  ['an operator', 'SELECT +', 1, 8, 8, '+'],
  ['a range includes its end', 'SELECT nope', 1, 1, 6, 'SELECT'],
  ['columns are characters, not UTF-16 units', "SELECT '😀😀', nope", 1, 14, 14, 'nope'],
  ['the end of the line', 'SELECT', 1, 7, 7, ''],
])('the place of an error: %s', (_, sql, line, from, to, text) => {
  expect(marked(sql, line, from, to)).toBe(text);
});

test('a location outside the statement is ignored', () => {
  expect(marked('SELECT', 2, 1, 1)).toBeUndefined();
  expect(marked('SELECT', 1, 9, 9)).toBeDefined();
});

test.each([
  [1, 5, undefined, 'Line 1, Column 5: no'],
  [1, 5, { lines: 0, characters: 10 }, 'Line 1, Column 15: no'],
  [1, 5, { lines: 3, characters: 2 }, 'Line 4, Column 7: no'],
  [2, 5, { lines: 3, characters: 2 }, 'Line 5, Column 5: no'],
])(
  'an error at line %i, column %i of a statement behind %o is described as %s',
  (line, column, before, text) => {
    const location = { failing_line: line, start_offset: column, end_offset: column };
    expect(describedIn({ description: `Line ${line}, Column ${column}: no`, location }, before)).toBe(text);
    expect(describedIn({ description: 'no' }, before)).toBe('no');
  },
);
