import type { Snapshot } from '@tessera/catalog';
import type { SqlText } from '@tessera/sql';
import { retryInQuarantine } from '../queries/retry-in-quarantine.ts';
import type { ExecutableQuery, ExecutionOptions } from '../read/executable-query.ts';
import { countScanned, type StatementRun } from '../run/query-run.ts';
import { withLiteralPlan } from '../run/with-literal-plan.ts';
import type { ChangeContext } from './change.ts';

/** A query that was generated for a statement. */
export interface DerivedQuery {
  readonly sql: string;
  /** Translates an error of the query to one of the statement. */
  explain(error: unknown): unknown;
}

type DerivedOptions = Pick<ExecutionOptions, 'rowPositionsOf' | 'storing' | 'blindTarget'>;

/**
 * Binds a query of the dialect against the snapshot and runs `work` with it. If the kernel process is lost,
 * both are repeated once in quarantine, since nothing is committed yet.
 */
export function withExecutable<T>(
  context: ChangeContext,
  snapshot: Snapshot,
  query: DerivedQuery,
  work: (executable: ExecutableQuery) => Promise<T>,
  options: DerivedOptions = {},
): Promise<T> {
  const released = async (executable: ExecutableQuery) => {
    const result = await work(executable);
    await executable.release();
    return result;
  };
  return withHeldExecutable(context, snapshot, query, released, options);
}

/** The same for work whose result holds the executable query and releases it later. */
export async function withHeldExecutable<T>(
  context: ChangeContext,
  snapshot: Snapshot,
  query: DerivedQuery,
  work: (executable: ExecutableQuery) => Promise<T>,
  options: DerivedOptions = {},
): Promise<T> {
  const { run } = context;
  try {
    const attempt = async (given: ExecutionOptions) => {
      const derived = contextOf(context, snapshot, query);
      const executable = await run.binder.executable(derived, { ...options, ...given });
      const stopCounting = countScanned(run.query, executable);
      try {
        return await work(executable);
      } catch (error) {
        stopCounting();
        const explained = executable.explain(error);
        await executable.release();
        throw explained;
      }
    };
    return await retryInQuarantine(run.query, (quarantine) =>
      options.rowPositionsOf === undefined
        ? attempt({ quarantine })
        : withLiteralPlan((literals) => attempt({ quarantine, ...literals })),
    );
  } catch (error) {
    throw query.explain(error);
  }
}

/** The columns of a query and the relations that it names; nothing is fetched. */
export async function describedQuery(
  context: ChangeContext,
  snapshot: Snapshot,
  query: DerivedQuery,
): Promise<Pick<ExecutableQuery, 'columns' | 'relations'>> {
  try {
    return await context.run.binder.outputOf(contextOf(context, snapshot, query));
  } catch (error) {
    throw query.explain(error);
  }
}

/** The query as a statement of its own, at the snapshot that the statement changes. */
const contextOf = ({ run }: ChangeContext, snapshot: Snapshot, { sql }: DerivedQuery): StatementRun => ({
  ...run,
  text: sql,
  snapshot: async () => ({ snapshot, release: () => undefined }),
});

/** A query with offsets as in the statement: everything before it is replaced by blanks. */
export const queryInPlace = ({ sql, offset }: SqlText, statement: string): DerivedQuery => ({
  sql: statement.slice(0, offset).replace(/[^\n]/gu, ' ') + sql,
  explain: (error) => error,
});
