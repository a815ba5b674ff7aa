import { type Breach, breachIf, type Rule } from './rule.ts';

const PROVIDER = { s3: 'aws', gcs: 'gcp', abs: 'azure', azurite: 'azure', minio: 'minio' } as const;
const PROVIDERS = ['aws', 'azure', 'gcp', 'minio'] as const;
const TYPE = ['storage', 'type'];

/** Rule 15, first half: exactly the block of the type. Without `type` in the file, the block may be left out too. */
export const storageHasItsProvider: Rule = ({ config: { storage }, given }): Breach[] => {
  const own = PROVIDER[storage.type];
  const foreign = PROVIDERS.filter((name) => name !== own && storage[name] !== null);
  return [
    ...breachIf(
      given(TYPE) && storage[own] === null,
      ['storage', own],
      `is required when storage.type is ${storage.type}${own === 'minio' ? '' : ` (it may be empty: ${own}: {})`}`,
      [TYPE],
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

/** Rule 15, second half. */
export const blobStorageHasAnAccount: Rule = ({ config: { storage } }) =>
  breachIf(
    storage.type === 'abs' && storage.azure !== null && !storage.azure.storage_account_name,
    ['storage', 'azure', 'storage_account_name'],
    'is required when storage.type is abs',
    [TYPE],
  );
