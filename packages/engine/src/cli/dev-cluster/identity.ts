import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newUlid } from '@tessera/common';
import type { S3DevCredentials } from '@tessera/object-store';

/** The values that a cluster must keep to find its tables again. */
export interface ClusterIdentity {
  readonly instanceId: string;
  readonly store: S3DevCredentials;
  readonly clusterToken: string;
}

/** The administrator of a cluster with authentication. */
export interface ClusterLogin {
  readonly user: string;
  readonly password: string;
  readonly signingKeyPath: string;
}

/** The identity of the cluster whose files are in the directory, or of a new one. */
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

/** The administrator's password and the signing key in the directory, or new ones. */
export async function clusterLogin(directory: string): Promise<ClusterLogin> {
  const signingKeyPath = join(directory, 'signing-key.pem');
  const key = () =>
    generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    }).privateKey;
  await keptIn(signingKeyPath, key);
  const password = await keptIn(join(directory, 'admin-password'), () =>
    randomBytes(12).toString('base64url'),
  );
  return { user: 'admin', password, signingKeyPath };
}

/** The content of the file. If it does not exist, it is created and readable only by its owner. */
async function keptIn(path: string, make: () => string): Promise<string> {
  const made = make();
  try {
    await writeFile(path, made, { mode: 0o600, flag: 'wx' });
    return made;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return readFile(path, 'utf8');
  }
}
