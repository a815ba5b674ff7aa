import {
  ClientAssertionCredential,
  DefaultAzureCredential,
  ManagedIdentityCredential,
  type TokenCredential,
  WorkloadIdentityCredential,
} from '@azure/identity';
import {
  BlobServiceClient,
  type StoragePipelineOptions,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
import { fail } from '@tessera/common';

/** Creates a client for one account with the credentials that the account requires. */
export type AzureService = (options: StoragePipelineOptions) => BlobServiceClient;

export interface AzureIdentity {
  readonly account?: string | undefined;
  /**
   * The client id of a service principal in the tenant of the account. The service principal trusts the
   * identity of this process.
   */
  readonly clientId?: string | undefined;
  /** A shared access signature, which is used instead of every identity. */
  readonly sasToken?: string | undefined;
  /** A key of the account, which is used instead of every identity. */
  readonly accountKey?: string | undefined;
}

/** The audience of a token that is sent to another tenant. */
const TOKEN_EXCHANGE = 'api://AzureADTokenExchange/.default';

/**
 * Connects to Azure Storage with the identity of this process, or to an emulator with its predefined account.
 */
export function azureServiceOf(type: 'abs' | 'azurite', identity: AzureIdentity): AzureService {
  const connection = process.env.AZURE_STORAGE_CONNECTION_STRING;
  const { account, sasToken, accountKey } = identity;
  if (account !== undefined && sasToken !== undefined)
    return (options) =>
      new BlobServiceClient(`${endpointOf(account)}?${sasToken.replace(/^\?/, '')}`, undefined, options);
  if (account !== undefined && accountKey !== undefined)
    return (options) =>
      new BlobServiceClient(
        endpointOf(account),
        new StorageSharedKeyCredential(account, accountKey),
        options,
      );
  if (type === 'azurite' || (connection !== undefined && accountOf(connection) === account)) {
    return (options) =>
      BlobServiceClient.fromConnectionString(connection ?? 'UseDevelopmentStorage=true', options);
  }
  if (account === undefined) {
    return fail('INVALID_ARGUMENT', { message: 'storage.azure.storage_account_name is not set' });
  }
  const credential = credentialOf(identity);
  return (options) => new BlobServiceClient(endpointOf(account), credential, options);
}

/** The endpoint of an account: that of the connection string if it is about the account. */
function endpointOf(account: string): string {
  const connection = process.env.AZURE_STORAGE_CONNECTION_STRING ?? '';
  const own = accountOf(connection) === account ? valueIn(connection, 'BlobEndpoint') : undefined;
  return own ?? `https://${account}.blob.core.windows.net`;
}

const accountOf = (connection: string): string | undefined => valueIn(connection, 'AccountName');

const valueIn = (connection: string, name: string): string | undefined =>
  new RegExp(`(?:^|;)${name}=([^;]+)`, 'i').exec(connection)?.[1];

function credentialOf({ clientId }: AzureIdentity): TokenCredential {
  if (clientId === undefined) return new DefaultAzureCredential();
  if (process.env.AZURE_FEDERATED_TOKEN_FILE !== undefined)
    return new WorkloadIdentityCredential({ clientId });
  const tenantId =
    process.env.AZURE_TENANT_ID ??
    fail('INVALID_ARGUMENT', {
      message:
        'storage.azure.intermediary_service_principal_client_id needs AZURE_TENANT_ID, the tenant of the service principal',
    });
  const ownClientId = process.env.AZURE_CLIENT_ID;
  const own =
    ownClientId === undefined ? new ManagedIdentityCredential() : new ManagedIdentityCredential(ownClientId);
  return new ClientAssertionCredential(
    tenantId,
    clientId,
    async () => (await own.getToken(TOKEN_EXCHANGE)).token,
  );
}
