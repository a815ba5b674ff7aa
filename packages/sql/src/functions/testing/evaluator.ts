import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fail } from '@tessera/common';
import { startKernel } from '@tessera/kernel';
import { kernelBootstrap, type PrepareContext, prepareQuery } from '../../index.ts';

export interface Evaluator extends AsyncDisposable {
  /** The value of an expression, or of a query of one value, as text. */
  evaluate(sql: string): Promise<string | null>;
}

/** Starts an evaluator that runs expressions through the whole dialect, in a kernel of its own. */
export async function startEvaluator(timeZone = 'UTC'): Promise<Evaluator> {
  const directory = mkdtempSync(join(tmpdir(), 'functions-test-'));
  const silent = () => undefined;
  const kernel = await startKernel({
    directory,
    readableDirectories: [],
    memoryLimitBytes: 1e9,
    threads: 2,
    bootstrap: kernelBootstrap,
    log: { info: silent, warn: silent, error: silent },
  });
  const session = await kernel.session({ timeZone });
  const context: PrepareContext = {
    session,
    settings: { timezone: timeZone },
    parameters: [
      { name: 'level', value: 'Drift' },
      { name: 'limit', value: 10 },
      { name: 'nothing', value: null },
    ],
    sessionValues: { account: 'account', database: 'tessera', engine: 'engine', user: 'user' },
    resolveRead: async ({ url }) => fail('FILE_NOT_FOUND', { url }),
  };
  return {
    evaluate: async (sql) => {
      const query = /^\s*(SELECT|WITH)\b/i.test(sql) ? sql : `SELECT ${sql}`;
      const prepared = await prepareQuery(query, context);
      const value = await session.scalar(`SELECT c::VARCHAR FROM (${prepared.sql}) AS r(c)`);
      return value === null ? null : String(value);
    },
    [Symbol.asyncDispose]: async () => {
      await session.close();
      await kernel.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
