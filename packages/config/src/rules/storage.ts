import { type Breach, breachIf, type Rule } from './rule.ts';

const PROVIDER = { s3: 'aws', gcs: 'gcp', abs: 'azure', azurite: 'azure', minio: 'minio' } as const;
const PROVIDERS = ['aws', 'azure', 'gcp', 'minio'] as const;
const TYPE = ['storage', 'type'];

/** The parameters that place tables outside of the data directory. */
const PLACES = ['type', 'bucket_name', 'default_s3_endpoint_override', 'api_scheme'] as const;

/**
 * Rule 15, first half: exactly the block of the storage type must exist, unless tables are stored in the data
 * directory.
 */
export const storageHasItsProvider: Rule = ({ config: { storage }, given }): Breach[] => {
  const own = PROVIDER[storage.type];
  const place = PLACES.find((name) => given(['storage', name]) && storage[name] !== null);
  const what = place === 'type' ? `type is ${storage.type}` : `${place} is set`;
  const foreign = PROVIDERS.filter((name) => name !== own && storage[name] !== null);
  return [
    ...breachIf(
      place !== undefined && storage[own] === null,
      ['storage', own],
      `is required when storage.${what}${own === 'minio' ? '' : ` (it may be empty: ${own}: {})`}`,
      [TYPE, ['storage', place ?? 'type']],
    ),
    ...foreign.flatMap((name) =>
      breachIf(
        true,
        ['storage', name],
        `does not go with storage.type ${storage.type}, whose block is ${own}`,
        [TYPE],
      ),
    ),
  ];
};

/** The names that the provider of each type accepts; Google also allows dots between parts of up to 63 characters. */
const BUCKET_NAMES = {
  aws: [/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'lower-case letters, digits, hyphens and dots'],
  minio: [/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'lower-case letters, digits, hyphens and dots'],
  gcp: [/^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/, 'lower-case letters, digits, hyphens, underscores and dots'],
  azure: [/^[a-z0-9](?!.*--)[a-z0-9-]{1,61}[a-z0-9]$/, 'lower-case letters, digits and single hyphens'],
} as const;

/** A wrong name would fail only when the first table is written, with a message of the provider. */
export const bucketNameIsOneOfItsProvider: Rule = ({ config: { storage } }) => {
  const [pattern, characters] = BUCKET_NAMES[PROVIDER[storage.type]];
  return breachIf(
    storage.bucket_name !== null && !pattern.test(storage.bucket_name),
    ['storage', 'bucket_name'],
    `expected at least 3 ${characters}, the first and the last a letter or a digit (storage.type is ${storage.type}), got ${JSON.stringify(storage.bucket_name)}`,
    [TYPE],
  );
};

/** Rule 15, second half. */
export const blobStorageHasAnAccount: Rule = ({ config: { storage } }) =>
  breachIf(
    storage.type === 'abs' && storage.azure !== null && !storage.azure.storage_account_name,
    ['storage', 'azure', 'storage_account_name'],
    'is required when storage.type is abs',
    [TYPE],
  );
