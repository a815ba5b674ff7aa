import { describe } from 'vitest';
import { credentialsOf, radosgwIsInstalled, type S3Server, startProgram } from '../store-servers.ts';

/** Tests that need the S3 gateway; where it is not installed they are skipped, and say so. */
export function describeOnGateway(title: string, tests: () => void): void {
  describe.skipIf(!radosgwIsInstalled)(
    radosgwIsInstalled ? title : `${title}: skipped, radosgw is not installed`,
    tests,
  );
}

/** The S3 gateway of the tests; the credentials are in the environment from then on, for whoever opens a bucket. */
export async function startGateway(): Promise<{ readonly endpoint: string } & AsyncDisposable> {
  const { facts, stop } = await startProgram<S3Server>('radosgw');
  Object.assign(process.env, credentialsOf(facts));
  return { endpoint: facts.endpoint, [Symbol.asyncDispose]: stop };
}
