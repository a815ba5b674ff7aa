import { expect, test } from 'vitest';
import type { KernelSession } from './client/kernel-session.ts';
import { caretOf } from './errors/caret.ts';
import { testKernel } from './testing/test-kernel.ts';

const FAILS_LATE =
  "SELECT CASE WHEN i = $1 THEN 'a' ELSE '1' END::INT AS a FROM generate_series(1, 300000) AS g(i)";

const read = async (session: KernelSession, sql: string, params: (string | number)[] = []): Promise<void> => {
  for await (const batch of (await session.query(sql, params)).batches) void batch;
};

test('a query that fails among its last rows reports its own error each time', async () => {
  await using t = await testKernel({ threads: 4 });
  const sessions = await Promise.all(Array.from({ length: 4 }, () => t.kernel.session()));
  const failures = new Set<string>();
  const repeatedly = async (session: KernelSession) => {
    for (let i = 0; i < 40; i += 1) {
      await read(session, FAILS_LATE, [300_000]).catch((e: Error) =>
        failures.add(`${e.message} ${caretOf(e)}`),
      );
    }
  };
  await Promise.all(sessions.map(repeatedly));
  expect([...failures]).toEqual([
    `invalid input syntax for type integer: "a" ${FAILS_LATE.indexOf('::INT')}`,
  ]);
});
