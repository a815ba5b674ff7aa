import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { classifyStatement, splitStatements } from '../src/index.ts';

const page = readFileSync(new URL('../../../docs/statements.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/```sql\n([\s\S]*?)```/g)].flatMap(([, block]) => splitStatements(block!));

test.for(examples.map(({ text }) => text))('the page on statements: %s', (sql) => {
  expect(classifyStatement(sql).kind).not.toBe('unsupported');
});
