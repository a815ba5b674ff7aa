import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { fromNodeProviderChain, fromTemporaryCredentials } from '@aws-sdk/credential-providers';
import { discardBytes } from '@tessera/common';

export interface S3Access {
  /** The endpoint; by default, that of AWS. At any other endpoint, buckets are named in the path. */
  readonly endpoint?: string | undefined;
  /**
   * The credentials; by default, those of the SDK's standard chain (environment, profile, container, instance).
   */
  readonly credentials?: S3Keys | 'anonymous' | undefined;
  /** A role to assume with these credentials. */
  readonly roleArn?: string | undefined;
}

interface S3Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

const CONNECT_MS = 5_000;
/** The maximum silence of a connection. */
const IDLE_MS = 30_000;
/** One client reads and writes many tablets at a time. */
const CONNECTIONS = 128;

/** The configuration for public buckets. */
const UNSIGNED: Pick<S3ClientConfig, 'credentials' | 'signer'> = {
  credentials: { accessKeyId: '', secretAccessKey: '' },
  signer: { sign: async (request) => request },
};

/** The name of the error for a role that cannot be assumed. */
export const ROLE_REFUSED = 'RoleRefused';

/** A user of stores remembers this about the identity of the engine. */
export interface IdentityMemory {
  /** Until then, the engine is taken to have no credentials. */
  anonymousUntil: number;
}

/** The time for which we remember that the engine has no credentials, because looking for them takes seconds. */
const ANONYMOUS_MS = 60_000;

/** `anonymous` if the standard chain finds no credentials. */
export async function anonymousUnlessKnown(memory: IdentityMemory): Promise<'anonymous' | undefined> {
  if (Date.now() < memory.anonymousUntil) return 'anonymous';
  try {
    await fromNodeProviderChain()();
    return undefined;
  } catch {
    memory.anonymousUntil = Date.now() + ANONYMOUS_MS;
    return 'anonymous';
  }
}

/** @param maxAttempts the attempts at a request, including the first; by default, those of the SDK */
export function createS3Client(access: S3Access, maxAttempts: number | undefined): S3Client {
  const foreign = access.endpoint !== undefined;
  const region = regionOf(access);
  const credentials = credentialsOf(access, region);
  const client = new S3Client({
    ...region,
    ...(foreign && { endpoint: access.endpoint, forcePathStyle: true }),
    ...(credentials !== undefined && { credentials }),
    ...(access.credentials === 'anonymous' && UNSIGNED),
    ...(maxAttempts !== undefined && { maxAttempts }),
    followRegionRedirects: true,
    // Servers other than those of AWS reject or ignore the newer checksums; tablets and log entries contain
    // their own.
    requestChecksumCalculation: foreign ? 'WHEN_REQUIRED' : 'WHEN_SUPPORTED',
    responseChecksumValidation: foreign ? 'WHEN_REQUIRED' : 'WHEN_SUPPORTED',
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      socketTimeout: IDLE_MS,
      httpAgent: new FreeingAgent({ keepAlive: true, maxSockets: CONNECTIONS }),
      httpsAgent: new FreeingTlsAgent({ keepAlive: true, maxSockets: CONNECTIONS }),
    },
  });
  onlyRefusalsAreSkew(client);
  return client;
}

/**
 * Frees what a socket has read as soon as the HTTP parser has copied it, which happens before the event loop goes on. Otherwise the buffers
 * of 64 KiB make V8 collect the whole heap every few megabytes. If the parser kept parts of them, bodies would be cut off and
 * refused for it (`readBody`).
 */
function freeingReads<T extends Duplex | null | undefined>(socket: T): T {
  socket?.on('data', (bytes: Uint8Array) => process.nextTick(discardBytes, bytes));
  return socket;
}

class FreeingAgent extends HttpAgent {
  override createConnection(...args: Parameters<HttpAgent['createConnection']>) {
    return freeingReads(super.createConnection(...args));
  }
}

class FreeingTlsAgent extends HttpsAgent {
  override createConnection(...args: Parameters<HttpsAgent['createConnection']>) {
    return freeingReads(super.createConnection(...args));
  }
}

const FORBIDDEN = 403;

/**
 * The SDK corrects its clock by the date of every response, and retries whenever that changed the clock,
 * whatever the response was. Only a refusal can be caused by the clock.
 */
function onlyRefusalsAreSkew({ middlewareStack }: S3Client): void {
  const middleware = <Next extends (args: never) => Promise<unknown>>(next: Next): Next => {
    const call = async (args: never) => {
      try {
        return await next(args);
      } catch (error) {
        const { $metadata: metadata } = error as { $metadata?: SkewMetadata };
        if (metadata !== undefined && metadata.httpStatusCode !== FORBIDDEN)
          metadata.clockSkewCorrected = false;
        throw error;
      }
    };
    return call as Next;
  };
  const name = 'onlyRefusalsAreSkew';
  middlewareStack.addRelativeTo(middleware, { name, relation: 'after', toMiddleware: 'retryMiddleware' });
}

interface SkewMetadata {
  readonly httpStatusCode?: number;
  clockSkewCorrected?: boolean;
}

function credentialsOf(access: S3Access, region: { region?: string }): S3ClientConfig['credentials'] {
  const given = access.credentials === 'anonymous' ? undefined : access.credentials;
  const keys = given && {
    accessKeyId: given.accessKeyId,
    secretAccessKey: given.secretAccessKey,
    ...(given.sessionToken !== undefined && { sessionToken: given.sessionToken }),
  };
  if (access.roleArn === undefined) return keys;
  return assumed(
    access.roleArn,
    fromTemporaryCredentials({
      params: { RoleArn: access.roleArn, RoleSessionName: 'tessera' },
      ...(keys !== undefined && { masterCredentials: keys }),
      clientConfig: region,
    }),
  );
}

/** Tells responses of the token service from those of the bucket: either may say "not found". */
function assumed(
  roleArn: string,
  provider: ReturnType<typeof fromTemporaryCredentials>,
): ReturnType<typeof fromTemporaryCredentials> {
  return async (identity) => {
    try {
      return await provider(identity);
    } catch (cause) {
      const { name, message } = cause as Error;
      throw Object.assign(
        new Error(`the role ${roleArn} cannot be assumed (${name}: ${message})`, { cause }),
        {
          name: ROLE_REFUSED,
        },
      );
    }
  };
}

/**
 * The SDK reads the environment and the profile. If it finds no region, AWS redirects to the right one, and
 * other servers ignore it.
 */
function regionOf({ endpoint, credentials }: S3Access): { region?: string } {
  const given = process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION;
  if (given !== undefined) return { region: given };
  const any = endpoint !== undefined || credentials !== undefined;
  return any && process.env.AWS_PROFILE === undefined ? { region: 'us-east-1' } : {};
}
