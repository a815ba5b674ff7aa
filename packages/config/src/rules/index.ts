import { authModeHasItsBlock, oneOidcProvider, signingKeysHaveTheirOwnIds } from './auth.ts';
import { broadcastingKnowsItsCluster, nodesAreNotEmpty, nodesDoNotShareAPort } from './engine.ts';
import { compressionLevelFitsItsMethod } from './execution.ts';
import { multiEngineHasItsMetadataService } from './instance.ts';
import {
  httpListenersHaveTheirAddress,
  listenersDoNotShareAPort,
  oneHttpListenerOfAType,
  postgresListenersHaveAPort,
} from './listeners.ts';
import { componentsAreNamedOnce, fileSinksHaveAFile, sinksDoNotShareAFile } from './logging.ts';
import type { Rule } from './rule.ts';
import { blobStorageHasAnAccount, storageHasItsProvider } from './storage.ts';

/** Every rule that ties parameters together and that a file can break. */
export const RULES: readonly Rule[] = [
  authModeHasItsBlock,
  oneOidcProvider,
  signingKeysHaveTheirOwnIds,
  oneHttpListenerOfAType,
  httpListenersHaveTheirAddress,
  postgresListenersHaveAPort,
  listenersDoNotShareAPort,
  broadcastingKnowsItsCluster,
  nodesAreNotEmpty,
  nodesDoNotShareAPort,
  compressionLevelFitsItsMethod,
  multiEngineHasItsMetadataService,
  fileSinksHaveAFile,
  sinksDoNotShareAFile,
  componentsAreNamedOnce,
  storageHasItsProvider,
  blobStorageHasAnAccount,
];
