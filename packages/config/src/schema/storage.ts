import { NOW } from './effect.ts';
import { block, boolean, integer, oneOf, string } from './parameter.ts';
import { isHttpUrl } from './text-shapes.ts';

const effect = NOW;
const optional = { default: null, effect } as const;

const API_SCHEMES = ['s3://', 'gs://', 'azure://'];

export const storage = block(
  'managed-table storage settings',
  {
    allow_collect_garbage: boolean(
      'allow manual garbage collection of orphaned tablets via `CALL collect_garbage()`',
      { default: false, effect },
    ),
    api_scheme: string('storage URI scheme (`s3://`, `gs://`, `azure://`); unset: that of storage.type', {
      ...optional,
      test: (text) => API_SCHEMES.includes(text),
      expected: `one of ${API_SCHEMES.join(', ')}`,
      jsonSchema: { enum: API_SCHEMES },
    }),
    aws: block(
      'settings for S3-backed managed tables',
      {
        intermediary_access_role: string(
          "IAM role assumed for federated cross-account or cross-tenant access; unset: the engine's own identity",
          optional,
        ),
      },
      { default: null },
    ),
    azure: block(
      'settings for blob-storage-backed managed tables',
      {
        intermediary_service_principal_client_id: string(
          "client ID of a federated service principal for cross-tenant access; unset: the engine's own identity",
          optional,
        ),
        storage_account_name: string('blob storage account name, accessed via workload identity', optional),
      },
      { default: null },
    ),
    bucket_name: string('bucket for managed-table objects; overrides the default bucket', optional),
    collect_garbage_limit_per_query: integer(
      'maximum tablets cleaned per `collect_garbage()` call; 0 is no limit',
      { default: 0, effect },
    ),
    default_s3_endpoint_override: string('custom S3-compatible endpoint URL', {
      ...optional,
      test: isHttpUrl,
      expected: 'an http(s) URL',
    }),
    enable_managed_location: boolean('allow CREATE TABLE to specify a LOCATION for managed tables', {
      default: false,
      effect,
    }),
    gc_ttl_seconds: integer(
      'grace period in seconds (7 days) before a tablet marked for collection is permanently removed',
      { default: 604_800, effect },
    ),
    gcp: block(
      'settings for GCS-backed managed tables',
      {
        intermediary_service_account_id: string(
          "service account for federated cross-project or cross-tenant access; unset: the engine's own identity",
          optional,
        ),
      },
      { default: null },
    ),
    minio: block(
      'settings for local or self-hosted S3-compatible storage',
      {
        endpoint: string('storage server endpoint URL', {
          test: isHttpUrl,
          expected: 'an http(s) URL',
          example: 'http://127.0.0.1:9000',
          effect,
        }),
      },
      { default: null },
    ),
    type: oneOf('object-storage provider for managed tables', ['s3', 'gcs', 'abs', 'azurite', 'minio'], {
      default: 's3',
      effect,
    }),
    upload_max_tries: integer('maximum retries of object-storage uploads; unset uses the cloud SDK default', {
      ...optional,
      min: 1,
    }),
  },
  { default: {} },
);
