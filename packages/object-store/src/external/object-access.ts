import { fail, nearestName, requireOpen } from '@tessera/common';
import type { BucketClient } from '../bucket/bucket-client.ts';
import type { IdentityMemory } from '../s3/s3-client.ts';
import type { ObjectScheme, ObjectUrl } from './object-url.ts';

/**
 * The credentials of a statement for a store, under the names used in SQL. If empty, the identity of the engine
 * is used, or none.
 */
export interface ObjectCredentials {
  readonly aws_access_key_id?: string | undefined;
  readonly aws_secret_access_key?: string | undefined;
  /** The names of both in CREDENTIALS. */
  readonly aws_key_id?: string | undefined;
  readonly aws_secret_key?: string | undefined;
  readonly aws_session_token?: string | undefined;
  readonly aws_role_arn?: string | undefined;
  /** The key of a service account of Google Cloud: the JSON that Google issues. */
  readonly google_service_account_key?: string | undefined;
  readonly azure_sas_token?: string | undefined;
  readonly azure_account_key?: string | undefined;
  /** The address of a server that implements the S3 protocol. It must be permitted like any other URL. */
  readonly endpoint?: string | undefined;
}

const CREDENTIAL_NAMES = {
  aws_access_key_id: true,
  aws_secret_access_key: true,
  aws_key_id: true,
  aws_secret_key: true,
  aws_session_token: true,
  aws_role_arn: true,
  google_service_account_key: true,
  azure_sas_token: true,
  azure_account_key: true,
  endpoint: true,
} as const satisfies Record<keyof ObjectCredentials, true>;

/** @throws TesseraError INVALID_ARGUMENT for a credential that no store has, which would be ignored */
export function checkCredentialNames(credentials: object): void {
  for (const name of Object.keys(credentials)) {
    if (Object.hasOwn(CREDENTIAL_NAMES, name)) continue;
    const nearest = nearestName(name, Object.keys(CREDENTIAL_NAMES));
    const suggestion = nearest === undefined ? '' : ` (did you mean ${nearest.toUpperCase()}?)`;
    fail('INVALID_ARGUMENT', { message: `Unknown credential ${name.toUpperCase()}${suggestion}` });
  }
}

/** The store to which `storage.api_scheme` assigns the scheme of another provider. */
export interface SchemeOverride {
  readonly scheme: ObjectScheme;
  /** The scheme whose protocol the store speaks. */
  readonly protocol: ObjectScheme;
  /** The endpoint; by default, that of the provider. */
  readonly s3Endpoint: string | undefined;
  /** The account of Azure, which URLs of other schemes do not contain. */
  readonly account: string | undefined;
}

export interface StoreDefaults {
  readonly s3Endpoint: string | undefined;
  readonly override?: SchemeOverride | undefined;
}

/** The bucket of `url`. Vendors' clients are loaded when they are first used. */
export async function openExternalBucket(
  { scheme: written, bucket: place }: ObjectUrl,
  credentials: ObjectCredentials,
  defaults: StoreDefaults,
  identity: IdentityMemory,
): Promise<BucketClient> {
  const override = defaults.override?.scheme === written ? defaults.override : undefined;
  checkCredentials(credentials, override?.protocol ?? written);
  const [bucket = '', container] = place.split('/');
  const scheme = `${written}://`;
  switch (override?.protocol ?? written) {
    case 's3': {
      const { S3Bucket } = await import('../s3/s3-bucket.ts');
      const { anonymousUnlessKnown } = await import('../s3/s3-client.ts');
      const keys = keysOf(credentials);
      return new S3Bucket({
        bucket: container ?? bucket,
        scheme,
        endpoint: credentials.endpoint ?? override?.s3Endpoint ?? defaults.s3Endpoint,
        credentials:
          keys ?? (credentials.aws_role_arn === undefined ? await anonymousUnlessKnown(identity) : undefined),
        roleArn: credentials.aws_role_arn,
      });
    }
    case 'gs': {
      const { GcsBucket } = await import('../gcs/gcs-bucket.ts');
      return GcsBucket.open({
        bucket: container ?? bucket,
        scheme,
        serviceAccountKey: credentials.google_service_account_key,
      });
    }
    case 'azure': {
      const { AzureBucket } = await import('../azure/azure-bucket.ts');
      const { azureServiceOf } = await import('../azure/azure-access.ts');
      return new AzureBucket({
        bucket: container ?? bucket,
        scheme,
        service: azureServiceOf('abs', {
          account: container === undefined ? override?.account : bucket,
          sasToken: credentials.azure_sas_token,
          accountKey: credentials.azure_account_key,
        }),
      });
    }
  }
}

/** The credentials with which a store can be opened, by scheme. */
const CREDENTIALS_OF: Readonly<Record<ObjectScheme, { readonly prefix: string; readonly names: string }>> = {
  s3: { prefix: 'aws_', names: 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_ROLE_ARN' },
  gs: { prefix: 'google_', names: 'GOOGLE_SERVICE_ACCOUNT_KEY' },
  azure: { prefix: 'azure_', names: 'AZURE_SAS_TOKEN or AZURE_ACCOUNT_KEY' },
};

/**
 * Checks that this process can decrypt the credentials, and that they are those of the store.
 * @throws TesseraError SECRET_KEY_MISSING, INVALID_ARGUMENT
 */
export function checkCredentials(credentials: ObjectCredentials, scheme: ObjectScheme): void {
  const { prefix, names } = CREDENTIALS_OF[scheme];
  for (const [name, text] of Object.entries(credentials)) {
    if (typeof text !== 'string') continue;
    if (name !== 'endpoint' && !name.startsWith(prefix))
      fail('INVALID_ARGUMENT', {
        message: `${name.toUpperCase()} is no credential of ${scheme}:// (${names})`,
      });
    requireOpen(text);
  }
}

/** The keys of S3. @throws INVALID_ARGUMENT if only half of a key is given */
export function keysOf(credentials: ObjectCredentials) {
  const accessKeyId = credentials.aws_access_key_id ?? credentials.aws_key_id;
  const secretAccessKey = credentials.aws_secret_access_key ?? credentials.aws_secret_key;
  if (accessKeyId === undefined && secretAccessKey === undefined) return undefined;
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    return fail('INVALID_ARGUMENT', {
      message: 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are given together or not at all',
    });
  }
  return { accessKeyId, secretAccessKey, sessionToken: credentials.aws_session_token };
}
