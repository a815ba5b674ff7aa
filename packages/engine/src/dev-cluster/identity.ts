import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newUlid } from '@tessera/common';
import type { S3DevCredentials } from '@tessera/object-store';

/** What a cluster must keep to find its tables again. */
export interface ClusterIdentity {
  readonly instanceId: string;
  readonly store: S3DevCredentials;
  readonly clusterToken: string;
}

/** That of the cluster whose files are in the directory, or of a new one. */
export async function clusterIdentity(directory: string): Promise<ClusterIdentity> {
  const path = join(directory, 'identity.json');
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (text !== undefined) return JSON.parse(text) as ClusterIdentity;
  const identity: ClusterIdentity = {
    instanceId: newUlid(),
    store: {
      accessKeyId: randomBytes(10).toString('hex'),
      secretAccessKey: randomBytes(20).toString('hex'),
    },
    clusterToken: randomBytes(24).toString('hex'),
  };
  await writeFile(path, JSON.stringify(identity, null, 2), { mode: 0o600 });
  return identity;
}
