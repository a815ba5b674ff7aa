import { expect, test } from 'vitest';
import { isPartName, partNameFor, partsNamedIn } from './part-names.ts';

test.each([
  ['trips.csv', [], 'trips.csv'],
  ['Q1 – sales (final).parquet', [], 'Q1_sales_final_.parquet'],
  ['trips.csv', ['trips.csv'], 'trips_2.csv'],
  ['trips.csv', ['trips.csv', 'trips_2.csv'], 'trips_3.csv'],
  ['a.tar.gz', ['a.tar.gz'], 'a_2.tar.gz'],
  ['.hidden', ['.hidden'], '.hidden_2'],
  ['sql', [], 'sql_2'],
  ['日本語', [], '_'],
  ['', [], 'file'],
])('%j beside %j becomes the part %j', (fileName, taken, name) => {
  expect(partNameFor(fileName, taken)).toBe(name);
  expect(isPartName(name, taken)).toBe(true);
});

test.each(['', 'sql', 'a b', 'a/b', 'ä', 'taken'])('%j is not a valid name of a part', (name) => {
  expect(isPartName(name, ['taken'])).toBe(false);
});

test('names of parts are found in a statement in any case, any number of times, anywhere', () => {
  const sql =
    "SELECT * FROM READ_CSV('upload://a.csv') JOIN read_parquet('UPLOAD://b-2_c') USING (id), READ_CSV('upload://a.csv')";
  expect([...partsNamedIn(sql)]).toEqual(['a.csv', 'b-2_c']);
  expect([...partsNamedIn('SELECT 1')]).toEqual([]);
});
