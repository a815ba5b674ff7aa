import { authModeHasItsBlock, oneOidcProvider, signingKeysHaveTheirOwnIds } from './auth.ts';
import {
  broadcastingKnowsItsCluster,
  memoryIsThere,
  nodesAreNotEmpty,
  nodesDoNotShareAPort,
} from './engine.ts';
import { compressionLevelFitsItsMethod } from './execution.ts';
import { multiEngineHasItsMetadataService } from './instance.ts';
import {
  httpListenersHaveTheirAddress,
  listenersDoNotShareAPort,
  oneHttpListenerOfAType,
  postgresListenersHaveAPort,
} from './listeners.ts';
import {
  componentsAreNamedOnce,
  componentsExist,
  fileSinksHaveAFile,
  sinksDoNotShareAFile,
} from './logging.ts';
import type { Rule } from './rule.ts';
import { blobStorageHasAnAccount, bucketNameIsOneOfItsProvider, storageHasItsProvider } from './storage.ts';

interface StatedRule {
  /** The rule in the words of the documentation. */
  readonly says: string;
  readonly breaches: Rule;
}

/** All rules between parameters that a file can violate. */
export const RULES: readonly StatedRule[] = [
  {
    says: '`auth.mode: native` needs `auth.native`, and with `instance.type: single_engine` also `auth.native.initial_user`; `auth.mode: oidc` needs `auth.oidc` with a provider.',
    breaches: authModeHasItsBlock,
  },
  { says: '`auth.oidc.providers` has at most one provider.', breaches: oneOidcProvider },
  { says: 'No two of `auth.native.signing_keys` have the same `id`.', breaches: signingKeysHaveTheirOwnIds },
  {
    says: '`endpoints.http.listeners` has at most one listener of each type.',
    breaches: oneHttpListenerOfAType,
  },
  {
    says: 'An HTTP listener of type `tcp` has a `port` and no `path`; one of type `unix` has a `path` and no `port`.',
    breaches: httpListenersHaveTheirAddress,
  },
  { says: 'Every PostgreSQL listener has a `port`.', breaches: postgresListenersHaveAPort },
  { says: 'No two listeners have the same port, other than 0.', breaches: listenersDoNotShareAPort },
  {
    says: '`engine.multi_cluster` needs `engine.cluster_id` and `engine.cluster_ordinal`.',
    breaches: broadcastingKnowsItsCluster,
  },
  { says: '`engine.nodes`, when given, lists at least one node.', breaches: nodesAreNotEmpty },
  {
    says: 'No two services of one host in `engine.nodes` have the same port.',
    breaches: nodesDoNotShareAPort,
  },
  {
    says: '`execution.hybrid_headers_primary_index_compression_level`, when given, is in the range of its method (below).',
    breaches: compressionLevelFitsItsMethod,
  },
  {
    says: '`instance.type: multi_engine` needs `instance.multi_engine`.',
    breaches: multiEngineHasItsMetadataService,
  },
  { says: 'A log sink has a `file` when its type is `file`, and only then.', breaches: fileSinksHaveAFile },
  { says: 'No two log sinks write to the same file.', breaches: sinksDoNotShareAFile },
  { says: '`logging.components[*].name` is one of the components listed below.', breaches: componentsExist },
  { says: 'No component is named twice in `logging.components`.', breaches: componentsAreNamedOnce },
  {
    says: 'Of the provider blocks of `storage` only that of `storage.type` may be given: `aws` for `s3`, `gcp` for `gcs`, `azure` for `abs` and `azurite`, `minio` for `minio`. It must be given when one of `type`, `bucket_name`, `default_s3_endpoint_override` and `api_scheme` is.',
    breaches: storageHasItsProvider,
  },
  {
    says: '`storage.bucket_name` is a name that the provider of `storage.type` accepts.',
    breaches: bucketNameIsOneOfItsProvider,
  },
  {
    says: '`storage.type: abs` needs `storage.azure.storage_account_name`.',
    breaches: blobStorageHasAnAccount,
  },
];

/** Rules that a valid file may violate, which is probably a mistake; the violation is a warning. */
export const WARNINGS: readonly Rule[] = [memoryIsThere];
