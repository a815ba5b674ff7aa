import type { QueryDescription, SqlType } from '@tessera/sql';
import { withFurtherAttempts } from '../queries/further-attempts.ts';
import type { BindRequest } from '../read/bound-query.ts';
import { bindRequest, type QueryRunOptions } from './query-run.ts';

/** How a query is described that stands for another statement. */
export interface DescribedAs {
  /** Types of the columns that the subquery in FROM is for. */
  readonly asked?: readonly SqlType[];
  readonly rowPositionsOf?: BindRequest['rowPositionsOf'];
  readonly blindTarget?: BindRequest['blindTarget'];
}

/** Parameters and columns of a query, as far as they follow from its text; its files are looked at. */
export const describeQuery = (
  options: QueryRunOptions,
  { asked, ...how }: DescribedAs = {},
): Promise<QueryDescription> =>
  withFurtherAttempts(options.query, (quarantine) =>
    options.binder.describe({ ...bindRequest(options, { quarantine }), draws: undefined, ...how }, asked),
  );
