import { expect, test } from 'vitest';
import { classifyStatement } from '../classify.ts';

test.each([
  ["CREATE DATABASE d WITH ENCODING 'UTF8' TEMPLATE = template0 LC_COLLATE 'C' DESCRIPTION = 'x'", 'x'],
  ['CREATE DATABASE d TEMPLATE "template1" LOCALE DEFAULT LC_CTYPE \'C.UTF-8\'', undefined],
])('%s', (sql, description) => {
  expect(classifyStatement(sql)).toMatchObject({ kind: 'create_database', name: 'd', description });
});

test.each([
  ["CREATE DATABASE d ENCODING 'LATIN1'", 'ENCODING LATIN1 of a database'],
  ['CREATE DATABASE d TEMPLATE shop', 'TEMPLATE shop of a database'],
  ["CREATE DATABASE d LOCALE 'en_US.UTF-8'", 'LOCALE en_US.UTF-8 of a database'],
])('%s', (sql, message) => {
  expect(() => classifyStatement(sql)).toThrow(
    expect.objectContaining({
      name: 'NOT_SUPPORTED',
      message: expect.stringContaining(message),
      location: expect.anything(),
    }),
  );
});
