import type { TestNode } from './test-node.ts';

/** Settings of a statement: the transaction that it is in. */
export interface Inside {
  readonly transactionId?: string;
}

/**
 * Runs statements one after the other, those after BEGIN in its transaction, and rolls back a transaction that is still open at the
 * end. Statements that are impossible where they stand are left out: no transaction begins in a transaction or ends without one, and
 * VACUUM is never in one.
 * @param check is called after each statement
 */
export async function runSequence(
  node: TestNode,
  statements: readonly string[],
  check: (sql: string, inside: Inside) => Promise<void>,
): Promise<void> {
  let inside: Inside = {};
  for (const sql of statements) {
    const isInside = inside.transactionId !== undefined;
    const isEnd = sql === 'COMMIT' || sql === 'ROLLBACK';
    if (isEnd ? !isInside : isInside && /^(?:BEGIN|VACUUM)\b/.test(sql)) continue;
    const done = await node.run(sql, inside);
    if (done.session?.kind === 'set') inside = { transactionId: done.session.value };
    if (isEnd) inside = {};
    await check(sql, inside);
  }
  if (inside.transactionId !== undefined) await node.run('ROLLBACK', inside);
}
