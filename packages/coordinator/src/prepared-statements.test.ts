import type { PreparedQuery } from '@tessera/sql';
import { expect, it } from 'vitest';
import { PreparedStatements } from './prepared-statements.ts';

const scope = { timezone: 'UTC', database: 'd', user: 'u' };
const prepared = (sql: string): PreparedQuery => ({ sql, parameters: {}, columns: [] });

it('finds a statement by its text and scope only', () => {
  const statements = new PreparedStatements();
  statements.add('SELECT 1', scope, prepared('one'));
  expect(statements.get('SELECT 1', scope)?.sql).toBe('one');
  expect(statements.get('SELECT 2', scope)).toBeUndefined();
  expect(statements.get('SELECT 1', { ...scope, timezone: 'Asia/Tokyo' })).toBeUndefined();
  expect(statements.get('SELECT 1', { ...scope, user: 'v' })).toBeUndefined();
});

it('forgets the least recently used', () => {
  const statements = new PreparedStatements();
  for (let i = 0; i < 1000; i++) statements.add(`SELECT ${i}`, scope, prepared(String(i)));
  statements.get('SELECT 0', scope);
  statements.add('SELECT 1000', scope, prepared('1000'));
  expect(statements.get('SELECT 0', scope)?.sql).toBe('0');
  expect(statements.get('SELECT 1', scope)).toBeUndefined();
  expect(statements.get('SELECT 1000', scope)?.sql).toBe('1000');
});

it('does not keep very long statements', () => {
  const statements = new PreparedStatements();
  const text = `SELECT '${'x'.repeat(40_000)}'`;
  statements.add(text, scope, prepared('long'));
  expect(statements.get(text, scope)).toBeUndefined();
});
