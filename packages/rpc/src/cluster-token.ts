import { readFileSync } from 'node:fs';
import { TesseraError } from '@tessera/common';

/**
 * The secret by which the nodes of a cluster authenticate each other: `TESSERA_CLUSTER_TOKEN`, or the content
 * of the file that `TESSERA_CLUSTER_TOKEN_FILE` names; undefined if neither is set.
 * @throws TesseraError INVALID_ARGUMENT if the file cannot be read or the token is shorter than 16 characters
 */
export function clusterToken(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const file = environment['TESSERA_CLUSTER_TOKEN_FILE'];
  const token = environment['TESSERA_CLUSTER_TOKEN'] ?? (file === undefined ? undefined : contentOf(file));
  if (token === undefined) return undefined;
  if (token.length < 16 || !/^[\x21-\x7e]+$/.test(token)) {
    refuse('The cluster token must have at least 16 characters, all printable ASCII without spaces');
  }
  return token;
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    return refuse(`The cluster token cannot be read: ${(error as Error).message}`);
  }
}

function refuse(message: string): never {
  throw TesseraError.of('INVALID_ARGUMENT', { message });
}
