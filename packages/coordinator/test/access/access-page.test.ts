import { readFileSync } from 'node:fs';
import { classifyStatement, splitStatements } from '@tessera/sql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestNode } from '../../src/testing/test-node.ts';

const page = readFileSync(new URL('../../../../docs/access-control.md', import.meta.url), 'utf8');

/**
 * The statements of the page, in order; a comment at the top of a block names the user who runs it, and
 * whether it is refused.
 */
const examples = [...page.matchAll(/```sql\n([\s\S]*?)```/g)].flatMap(([, block = '']) => {
  const [, user = 'tessera', refused] = /^-- as (\w+)(: refused)?\n/.exec(block) ?? [];
  return splitStatements(block).map(({ text }) => {
    const sql = text.replace(/^-- as .*\n/, '');
    return { user, sql, isRefused: refused !== undefined };
  });
});

const ANSWERED: readonly string[] = ['query', 'show', 'show_grants'];

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.open({ checksPrivileges: true });
});
afterAll(() => node[Symbol.asyncDispose]());

it.each(examples)('$user: $sql', async ({ user, sql, isRefused }) => {
  const isAnswered = ANSWERED.includes(classifyStatement(sql).kind);
  const outcome = isAnswered ? node.rows(sql, { user }) : node.run(sql, { user });
  if (isRefused) await expect(outcome).rejects.toMatchObject({ name: 'FORBIDDEN' });
  else await outcome;
});
