import type { BindRequest, ExecutableQuery } from '../read/executable-query.ts';
import type { QueryBinder } from './query-binder.ts';

/**
 * Makes a query of the dialect ready to run, in a session of its own, at one snapshot.
 * @throws TesseraError if the statement, its files or its tablets are invalid; the reason of its cancellation
 */
export const bindQuery = (
  { binder }: { readonly binder: QueryBinder },
  request: BindRequest,
): Promise<ExecutableQuery> => binder.bind(request);
