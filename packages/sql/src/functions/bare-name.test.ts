import { expect, test } from 'vitest';
import { column, stringLiteral } from '../tree.ts';
import { rewriteBareName } from './bare-name.ts';

const CONTEXT = {
  settings: { timezone: 'UTC' },
  sessionValues: { account: 'a', database: 'd', engine: 'e', user: 'ania' },
  parameters: [],
};

test.each([
  ['session_user', 'ania'],
  ['CURRENT_USER', 'ania'],
  ['current_role', 'ania'],
  ['current_catalog', 'd'],
  ['current_schema', 'public'],
])('%s is %s', (name, value) => {
  const rewritten = rewriteBareName({ ...column(name), alias: 'who' }, CONTEXT);
  expect(rewritten && stringLiteral(rewritten)).toBe(value);
  expect(rewritten?.alias).toBe('who');
});

test.each([[['user']], [['t', 'session_user']], [['x']]])('%s stays a column', (names) => {
  expect(rewriteBareName(column(...names), CONTEXT)).toBeUndefined();
});

test.each(['current_date', 'Current_Time', 'CURRENT_TIMESTAMP', 'localtime', 'localtimestamp'])(
  '%s is a function',
  (name) => {
    expect(rewriteBareName(column(name), CONTEXT)).toMatchObject({ class: 'FUNCTION', children: [] });
  },
);
