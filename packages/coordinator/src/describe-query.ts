import type { ParameterDescription } from '@tessera/sql';
import { bindRequest, type QueryRunOptions } from './query-run.ts';
import { withSecondAttempt } from './second-attempt.ts';

/** Types of parameters and columns of a statement, as far as they follow from its text; its files are looked at. */
export const describeQuery = (options: QueryRunOptions): Promise<ParameterDescription> =>
  withSecondAttempt(options.query.signal, (quarantine) =>
    options.binder.describe(bindRequest(options, { quarantine })),
  );
