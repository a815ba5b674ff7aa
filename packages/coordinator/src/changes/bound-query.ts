import type { Snapshot } from '@tessera/catalog';
import type { SqlText } from '@tessera/sql';
import { bindQuery } from '../read/bind-query.ts';
import type { BindRequest, BoundQuery } from '../read/bound-query.ts';
import { withSecondAttempt } from '../second-attempt.ts';
import type { ChangeContext } from './change-context.ts';

/**
 * Binds a query of the dialect against the snapshot and runs `work` with it; once more on a kernel of its own when the
 * kernel is lost under it, since nothing of it is committed yet.
 */
export function boundQuery<T>(
  context: ChangeContext,
  snapshot: Snapshot,
  query: SqlText,
  work: (bound: BoundQuery) => Promise<T>,
  options: Pick<BindRequest, 'rowPositionsOf'> = {},
): Promise<T> {
  const { run } = context;
  const { request, sessionValues } = run;
  const { signal } = run.query;
  return withSecondAttempt(signal, async (quarantine) => {
    const bound = await bindQuery(run, {
      sql: atItsPlace(query, run.text),
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
}

/** The query with nothing but space before it, so that places in it are places in the statement. */
const atItsPlace = ({ sql, offset }: SqlText, text: string): string =>
  text.slice(0, offset).replace(/[^\n]/gu, ' ') + sql;
