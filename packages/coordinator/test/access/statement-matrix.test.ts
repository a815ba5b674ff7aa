import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { classifyStatement } from '@tessera/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestNode } from '../../src/testing/test-node.ts';
import type { NeededRight } from './needed-right.ts';
import { STATEMENT_CASES, type StatementCase } from './statement-rights.ts';

let node: TestNode;
let files: string;
const admin = { user: 'tessera' };

beforeAll(async () => {
  node = await TestNode.open({ checksPrivileges: true, allowCollectGarbage: true });
  files = join(node.directory, 'files', 'matrix');
  mkdirSync(files);
  writeFileSync(join(files, 'x.csv'), 'a,b\n1,2\n');
  await node.run('CREATE USER u', admin);
  await node.run('REVOKE USAGE ON DATABASE tessera FROM public', admin);
});
afterAll(() => node[Symbol.asyncDispose]());

const CASES = Object.entries(STATEMENT_CASES).flatMap(([kind, cases]) =>
  cases.map((one) => ({ kind, ...one, title: `${kind}: ${one.sql}` })),
);

test.for(CASES.map((one, i) => ({ ...one, i })))('$title', async ({ kind, i, ...one }) => {
  const filled = (text: string) =>
    text.replaceAll('$s', `s${i}`).replaceAll('$i', String(i)).replaceAll('$d', files);
  const sql = filled(one.sql);
  expect(classifyStatement(sql).kind).toBe(kind);
  await prepare(one, i, filled);
  const database = one.database === undefined ? undefined : filled(one.database);
  const ask = () => node.finish(sql, { user: 'u', ...(database && { database }) });
  const give = (right: NeededRight) => node.run(filled(right.give), admin);
  const take = (right: NeededRight) => node.run(filled(right.take), admin);

  const rights = [...(one.given ?? []), ...one.needs];
  for (const right of rights) await give(right);
  try {
    for (const right of one.needs) {
      await take(right);
      const before = node.tables.manager.current;
      await expect(ask(), `without ${right.name}`).rejects.toMatchObject({
        name: 'FORBIDDEN',
        message: expect.stringMatching(new RegExp(filled(right.missing.source))),
      });
      expect(node.tables.manager.current, `changed without ${right.name}`).toBe(before);
      await give(right);
    }
    if (one.fails === undefined) await ask();
    else await expect(ask()).rejects.toMatchObject({ name: one.fails });
  } finally {
    // Privileges outside of the schema of the case would still exist for the next one.
    for (const { take: left, takeAll = left } of rights.filter(({ give: text }) => isShared(text)))
      await node.run(filled(takeAll), admin);
  }
});

const isShared = (give: string): boolean => /ON (?:ENGINE|DATABASE tessera)|ROLE system_admin/.test(give);

async function prepare(
  { setup = [] }: Pick<StatementCase, 'setup'>,
  i: number,
  filled: (text: string) => string,
): Promise<void> {
  await node.run(`CREATE SCHEMA s${i}`, admin);
  await node.run(`CREATE TABLE s${i}.t (a INT, b INT)`, admin);
  await node.run(`INSERT INTO s${i}.t VALUES (1, 1)`, admin);
  for (const statement of setup) await node.run(filled(statement), admin);
}
