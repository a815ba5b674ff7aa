import { describe } from 'vitest';
import { credentialsOf, radosgwIsInstalled, type S3Server, startProgram } from '../store-servers.ts';

/** Tests that need the S3 gateway; if it is not installed, they are reported as skipped. */
export function describeOnGateway(title: string, tests: () => void): void {
  describe.skipIf(!radosgwIsInstalled)(
    radosgwIsInstalled ? title : `${title}: skipped, radosgw is not installed`,
    tests,
  );
}

/** Starts the S3 gateway for tests; its credentials are in the environment afterwards. */
export async function startGateway(): Promise<{ readonly endpoint: string } & AsyncDisposable> {
  const { facts, stop } = await startProgram<S3Server>('radosgw');
  Object.assign(process.env, credentialsOf(facts));
  return { endpoint: facts.endpoint, [Symbol.asyncDispose]: stop };
}
