import fc from 'fast-check';
import { expect, test } from 'vitest';
import { classifyStatement } from '../statements/classify.ts';
import { normalizedSql, redactedSql } from './shown-sql.ts';
import { withoutPasswords } from './without-passwords.ts';

const SECRET = 'hunter2';
const PIECES = [
  ...[
    "'",
    '"',
    '$$',
    "''",
    ' ',
    '=',
    ',',
    '(',
    ')',
    '\\',
    '--',
    '/*',
    '*/',
    '\n',
    '!',
    'x',
    'E',
    "'x'",
    '$1',
  ],
  ...['PASSWORD', 'SET', 'NULL', SECRET, `'${SECRET}'`, `"${SECRET}"`],
];

test('however a password is quoted, or not, nothing that is shown has it', () => {
  const starts = fc.constantFrom(
    'CREATE USER u PASSWORD ',
    'ALTER USER u SET PASSWORD = ',
    'create role u login password',
    'SELECT 1; ALTER ROLE u PASSWORD ',
  );
  const rest = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 });
  fc.assert(
    fc.property(starts, rest, (start, pieces) => {
      const sql = `${start} ${pieces.join('')}`;
      const shown = redactedSql(sql);
      expect(shown).not.toContain(SECRET);
      expect(normalizedSql(shown)).not.toContain(SECRET);
      expect(messageOf(sql.replace('SELECT 1; ', ''))).not.toContain(SECRET);
    }),
    { numRuns: 5000 },
  );
});

test.for([
  ["ALTER USER u PASSWORD 'x' /* y */ LOGIN", "ALTER USER u PASSWORD '***' LOGIN"],
  [
    'CREATE USER u PASSWORD \'x\' DEFAULT_DATABASE = "D" IN ROLE r LOGIN; SELECT 1',
    'CREATE USER u PASSWORD \'***\' DEFAULT_DATABASE = "D" IN ROLE r LOGIN; SELECT 1',
  ],
  ["ALTER USER u PASSWORD 'x' -- y", "ALTER USER u PASSWORD '***' "],
  ["ALTER USER u PASSWORD 'x'; SELECT 'y'", "ALTER USER u PASSWORD '***'; SELECT 'y'"],
  ["GRANT r TO u; SELECT 'y'", "GRANT r TO u; SELECT 'y'"],
  ["CREATE TABLE u (role TEXT DEFAULT 'x')", "CREATE TABLE u (role TEXT DEFAULT 'x')"],
])('%s is shown as %s', ([sql, shown]) => {
  expect(withoutPasswords(sql!)).toBe(shown);
});

function messageOf(sql: string): string {
  try {
    classifyStatement(sql);
    return '';
  } catch (error) {
    return String(error);
  }
}
