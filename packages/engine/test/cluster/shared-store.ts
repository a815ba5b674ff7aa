import type { S3DevUser } from '@tessera/object-store';
import { credentialsOf, type S3Server, startProgram } from '../store-servers.ts';

/** An object store that several nodes, or several clusters one after the other, can use. */
export interface SharedStore extends AsyncDisposable {
  readonly endpoint: string;
  /** The environment of a process that uses it. */
  readonly env: Readonly<Record<string, string>>;
}

/** @param users users besides the one whose credentials are in `env` (`S3DevUser`); their buckets are there */
export async function startSharedStore(users: readonly S3DevUser[] = []): Promise<SharedStore> {
  const { facts, stop } = await startProgram<S3Server>('s3-dev', JSON.stringify(users));
  return { endpoint: facts.endpoint, env: credentialsOf(facts), [Symbol.asyncDispose]: stop };
}
