import { describe, expect, test } from 'vitest';
import { locationInText, splitWithBackslashes } from '../statements/split.ts';
import { inStandardForm } from './backslash-strings.ts';

describe('strings in which a backslash escapes the next character', () => {
  test.each([
    [String.raw`SELECT 'a\'b'`, String.raw`SELECT E'a\'b'`],
    [String.raw`SELECT 'a\\', 'b'`, String.raw`SELECT E'a\\', 'b'`],
    [String.raw`SELECT 'it''s\n', x`, String.raw`SELECT E'it''s\n', x`],
    [String.raw`SELECT date'2020\x2d01-01'`, String.raw`SELECT date E'2020\x2d01-01'`],
    [String.raw`SELECT E'a\'b', e'\\'`, String.raw`SELECT E'a\'b', e'\\'`],
    [
      String.raw`SELECT x'41', U&'d\0061t', "a\'b", 1e'\n'`,
      String.raw`SELECT x'41', U&'d\0061t', "a\'b", 1e E'\n'`,
    ],
    [String.raw`SELECT $$a\'b$$, $1, $t$'\$t$, '\t'`, String.raw`SELECT $$a\'b$$, $1, $t$'\$t$, E'\t'`],
    [
      String.raw`-- it's \ here${'\n'}SELECT /* '\ */ 'a\b'`,
      String.raw`-- it's \ here${'\n'}SELECT /* '\ */ E'a\b'`,
    ],
    [String.raw`SELECT 1-'\1'/'\2'`, String.raw`SELECT 1-E'\1'/E'\2'`],
    [String.raw`SELECT 'a\'`, String.raw`SELECT 'a\'`],
    ['SELECT \'plain\', "name"', 'SELECT \'plain\', "name"'],
  ])('%s', (text, standard) => {
    expect(inStandardForm(text).text).toBe(standard);
    expect(inStandardForm(standard).text).toBe(standard);
  });

  test.each(["'a\\' ", '/* ', '"a ', '$a$ ', "e'a\\' "])('takes linear time: %s', (piece) => {
    const text = piece.repeat(1_000_000);
    expect(inStandardForm(text).text.length).toBeGreaterThanOrEqual(text.length);
  });

  test('statements end where the client ended them', async () => {
    const whole = String.raw`SELECT 'a\'; b'; SELECT '\n', date'\x32' + 1`;
    const statements = await splitWithBackslashes(whole);
    expect(statements.map(({ text }) => text)).toEqual([
      String.raw`SELECT E'a\'; b'`,
      String.raw`SELECT E'\n', date E'\x32' + 1`,
    ]);
    expect(whole.slice(statements[1]!.offset)).toBe(String.raw`SELECT '\n', date'\x32' + 1`);
  });

  test('places in a statement are those of the text of the client', async () => {
    const whole = String.raw`SELECT 1; SELECT '\n', date'\x32' + x`;
    const statement = (await splitWithBackslashes(whole))[1]!;
    const column = statement.text.lastIndexOf('x') + 1;
    const location = locationInText(whole, statement, { line: 1, startColumn: column, endColumn: column });
    expect(location).toEqual({ line: 1, startColumn: whole.length, endColumn: whole.length });
  });
});
