import type { BucketClient } from '../bucket/bucket-client.ts';
import type { ObjectUrl } from './object-url.ts';

/** How a statement says who it is to a store; names as in SQL. Empty: the identity of the engine, or nobody. */
export interface ObjectCredentials {
  readonly aws_access_key_id?: string | undefined;
  readonly aws_secret_access_key?: string | undefined;
  readonly aws_session_token?: string | undefined;
  readonly aws_role_arn?: string | undefined;
  /** Of a server that speaks the protocol of S3; its address must be permitted like any other URL. */
  readonly endpoint?: string | undefined;
}

/** The bucket of `url`. Vendors' clients are loaded when they are first used. */
export async function openExternalBucket(
  { scheme, bucket }: ObjectUrl,
  credentials: ObjectCredentials,
  defaultS3Endpoint: string | undefined,
): Promise<BucketClient> {
  switch (scheme) {
    case 's3': {
      const { S3Bucket } = await import('../s3/s3-bucket.ts');
      const { anonymousUnlessKnown } = await import('../s3/s3-client.ts');
      const keys = keysOf(credentials);
      return new S3Bucket({
        bucket,
        scheme: 's3://',
        endpoint: credentials.endpoint ?? defaultS3Endpoint,
        credentials:
          keys ?? (credentials.aws_role_arn === undefined ? await anonymousUnlessKnown() : undefined),
        roleArn: credentials.aws_role_arn,
      });
    }
    case 'gs': {
      const { GcsBucket } = await import('../gcs/gcs-bucket.ts');
      return GcsBucket.open({ bucket, scheme: 'gs://' });
    }
    case 'azure': {
      const [account = '', container = ''] = bucket.split('/');
      const { AzureBucket } = await import('../azure/azure-bucket.ts');
      const { azureServiceOf } = await import('../azure/azure-access.ts');
      return new AzureBucket({
        bucket: container,
        scheme: 'azure://',
        service: azureServiceOf('abs', { account }),
      });
    }
  }
}

function keysOf(credentials: ObjectCredentials) {
  const { aws_access_key_id, aws_secret_access_key, aws_session_token } = credentials;
  if (aws_access_key_id === undefined || aws_secret_access_key === undefined) return undefined;
  return {
    accessKeyId: aws_access_key_id,
    secretAccessKey: aws_secret_access_key,
    sessionToken: aws_session_token,
  };
}
