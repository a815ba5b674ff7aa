import { describeParameters, type ParameterDescription } from '@tessera/sql';
import { interruptOnAbort } from './interrupt-on-abort.ts';
import { explainFailure } from './query-failure.ts';
import type { QueryRunOptions } from './query-run.ts';
import { ReadResolution } from './read-resolution.ts';
import { withSecondAttempt } from './second-attempt.ts';

/** Types of parameters and columns of a statement, as far as they follow from its text; its files are looked at. */
export const describeQuery = (options: QueryRunOptions): Promise<ParameterDescription> =>
  withSecondAttempt(options.query.signal, (quarantine) => attempt(options, quarantine));

async function attempt(options: QueryRunOptions, quarantine: boolean): Promise<ParameterDescription> {
  const { request, text, query, sessionValues } = options;
  const { settings, parameters } = request;
  const session = await options.kernel.session({ timeZone: settings.timezone, quarantine });
  const stopInterrupting = interruptOnAbort(session, query.signal);
  const reads = new ReadResolution({ ...options, ...request, session, signal: query.signal });
  try {
    const resolveRead = reads.resolve.bind(reads);
    return await describeParameters(text, { session, settings, parameters, sessionValues, resolveRead });
  } catch (error) {
    if (query.signal.aborted) throw query.signal.reason;
    throw explainFailure(error, { files: reads.files, isLastAttempt: quarantine });
  } finally {
    stopInterrupting();
    await session.close();
  }
}
