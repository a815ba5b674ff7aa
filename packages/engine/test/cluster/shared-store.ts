import { credentialsOf, type S3Server, startProgram } from '../store-servers.ts';

/** An object store that several nodes, or several clusters one after the other, can use. */
export interface SharedStore extends AsyncDisposable {
  readonly endpoint: string;
  /** The environment of a process that uses it. */
  readonly env: Readonly<Record<string, string>>;
}

export async function startSharedStore(): Promise<SharedStore> {
  const { facts, stop } = await startProgram<S3Server>('s3-dev');
  return { endpoint: facts.endpoint, env: credentialsOf(facts), [Symbol.asyncDispose]: stop };
}
