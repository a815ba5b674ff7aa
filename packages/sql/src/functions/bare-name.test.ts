import { expect, test } from 'vitest';
import { column, stringLiteral } from '../tree.ts';
import { rewriteBareName } from './bare-name.ts';

const CONTEXT = {
  settings: { timezone: 'UTC' },
  sessionValues: { account: 'a', database: 'd', engine: 'e', user: 'ania' },
  parameters: [],
};

test.each(['session_user', 'CURRENT_USER'])('%s is the user of the session', (name) => {
  const rewritten = rewriteBareName({ ...column(name), alias: 'who' }, CONTEXT);
  expect(rewritten && stringLiteral(rewritten)).toBe('ania');
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
