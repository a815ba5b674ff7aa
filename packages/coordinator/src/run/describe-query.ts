import type { QueryDescription, SqlType } from '@tessera/sql';
import { withFurtherAttempts } from '../queries/further-attempts.ts';
import type { BindRequest } from '../read/executable-query.ts';
import { bindRequest, type QueryRunOptions } from './query-run.ts';

/** Options for describing a query that represents another statement. */
export interface DescribedAs {
  /** The types of the columns that the subquery in FROM is assigned to. */
  readonly asked?: readonly SqlType[];
  readonly rowPositionsOf?: BindRequest['rowPositionsOf'];
  readonly blindTarget?: BindRequest['blindTarget'];
}

/**
 * The parameters and columns of a query, as far as they follow from its text and the schemas of its files.
 */
export const describeQuery = (
  options: QueryRunOptions,
  { asked, ...how }: DescribedAs = {},
): Promise<QueryDescription> =>
  withFurtherAttempts(options.query, (quarantine) =>
    options.binder.describe({ ...bindRequest(options, { quarantine }), draws: undefined, ...how }, asked),
  );
