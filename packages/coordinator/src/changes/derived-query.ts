import type { Snapshot } from '@tessera/catalog';
import type { KernelSession } from '@tessera/kernel';
import type { SqlText } from '@tessera/sql';
import { bindQuery } from '../binder/bind-query.ts';
import { withFurtherAttempts } from '../queries/further-attempts.ts';
import type { BindRequest, ExecutableQuery } from '../read/executable-query.ts';
import { countScanned, distributedQuery } from '../run/query-run.ts';
import type { StatementSequences } from '../sequences/statement-sequences.ts';
import type { ChangeContext } from './change-context.ts';

/** A query that was generated for a statement. */
interface DerivedQuery {
  readonly sql: string;
  /** Translates an error of the query to one of the statement. */
  explain(error: unknown): unknown;
}

type BindOptions = Pick<BindRequest, 'rowPositionsOf' | 'storing' | 'blindTarget'>;

/**
 * Binds a query of the dialect against the snapshot and runs `work` with it. If the kernel process is lost,
 * both are repeated once in quarantine, since nothing is committed yet.
 */
export function withExecutable<T>(
  context: ChangeContext,
  snapshot: Snapshot,
  query: DerivedQuery,
  work: (bound: ExecutableQuery) => Promise<T>,
  options: BindOptions = {},
): Promise<T> {
  const released = async (bound: ExecutableQuery) => {
    const result = await work(bound);
    await bound.release();
    return result;
  };
  return withHeldExecutable(context, snapshot, query, released, options);
}

/** The same for work whose result holds the bound query and releases it later. */
export async function withHeldExecutable<T>(
  context: ChangeContext,
  snapshot: Snapshot,
  query: DerivedQuery,
  work: (bound: ExecutableQuery) => Promise<T>,
  options: BindOptions = {},
): Promise<T> {
  const { run } = context;
  try {
    return await withFurtherAttempts(run.query, async (quarantine) => {
      const bound = await bindQuery(run, {
        ...bindRequest(context, snapshot, query),
        quarantine,
        ...options,
      });
      const stopCounting = countScanned(run.query, bound);
      try {
        return await work(bound);
      } catch (error) {
        stopCounting();
        const explained = bound.explain(error);
        await bound.release();
        throw explained;
      }
    });
  } catch (error) {
    throw query.explain(error);
  }
}

/**
 * The sequence values that a statement takes in its session without binding a query. The caller must end it.
 */
export const sequencesFor = (
  { run }: ChangeContext,
  snapshot: Snapshot,
  session: KernelSession,
): StatementSequences | undefined => {
  const { binder, request, sessionValues, query } = run;
  const draws = { demand: query.demand, session: request.drawn, transactionId: request.transactionId };
  return binder.sequences({ sessionValues, draws }, session, async () => snapshot);
};

/** The columns of a query and the relations that it names; nothing is fetched. */
export async function describedQuery(
  context: ChangeContext,
  snapshot: Snapshot,
  query: DerivedQuery,
): Promise<Pick<ExecutableQuery, 'columns' | 'relations'>> {
  const { binder } = context.run;
  try {
    return await binder.outputOf({ ...bindRequest(context, snapshot, query), draws: undefined });
  } catch (error) {
    throw query.explain(error);
  }
}

function bindRequest({ run }: ChangeContext, snapshot: Snapshot, { sql }: DerivedQuery): BindRequest {
  const { request, sessionValues, query } = run;
  return {
    sql,
    parameters: request.parameters,
    uploads: request.uploads,
    directory: request.directory,
    settings: request.settings,
    sessionValues,
    snapshot: async () => ({ snapshot, release: () => undefined }),
    distributed: distributedQuery(query),
    warn: (message, resolution) => query.notices.warn(message, { resolution }),
    draws: { demand: query.demand, session: request.drawn, transactionId: request.transactionId },
    signal: query.signal,
  };
}

/** A query with offsets as in the statement: everything before it is replaced by blanks. */
export const queryInPlace = ({ sql, offset }: SqlText, statement: string): DerivedQuery => ({
  sql: statement.slice(0, offset).replace(/[^\n]/gu, ' ') + sql,
  explain: (error) => error,
});
