import type { Snapshot } from '@tessera/catalog';
import type { SqlText } from '@tessera/sql';
import { bindQuery } from '../read/bind-query.ts';
import type { BindRequest, BoundQuery } from '../read/bound-query.ts';
import { withSecondAttempt } from '../second-attempt.ts';
import type { ChangeContext } from './change-context.ts';

/** A query made for a statement. */
interface DerivedQuery {
  readonly sql: string;
  /** An error of the query as one of the statement. */
  explain(error: unknown): unknown;
}

/**
 * Binds a query of the dialect against the snapshot and runs `work` with it; once more on a kernel of its own when the
 * kernel is lost under it, since nothing of it is committed yet.
 */
export async function boundQuery<T>(
  context: ChangeContext,
  snapshot: Snapshot,
  query: DerivedQuery,
  work: (bound: BoundQuery) => Promise<T>,
  options: Pick<BindRequest, 'rowPositionsOf'> = {},
): Promise<T> {
  const { run } = context;
  const { request, sessionValues } = run;
  const { signal } = run.query;
  try {
    return await withSecondAttempt(signal, async (quarantine) => {
      if (quarantine) run.query.activity.retries += 1;
      const bound = await bindQuery(run, {
        sql: query.sql,
        parameters: request.parameters,
        uploads: request.uploads,
        directory: request.directory,
        settings: request.settings,
        sessionValues,
        snapshot: async () => ({ snapshot, release: () => undefined }),
        quarantine,
        signal,
        ...options,
      });
      try {
        return await work(bound);
      } catch (error) {
        throw bound.explain(error);
      } finally {
        await bound.release();
      }
    });
  } catch (error) {
    throw query.explain(error);
  }
}

/** A query as it stands in the statement: with nothing but space before it, places in it are places in the statement. */
export const queryInPlace = ({ sql, offset }: SqlText, statement: string): DerivedQuery => ({
  sql: statement.slice(0, offset).replace(/[^\n]/gu, ' ') + sql,
  explain: (error) => error,
});
