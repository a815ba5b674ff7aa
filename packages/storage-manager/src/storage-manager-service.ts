import { decodeTransaction } from '@tessera/catalog';
import { TesseraError } from '@tessera/common';
import { type ServedService, StorageManagerService, serviceOf } from '@tessera/rpc';
import type { LogLeader } from './served-storage-manager.ts';

/**
 * Serves requests of other nodes. If this node does not lead, the caller gets NOT_LEADER and looks for the
 * leader.
 */
export function storageManagerService({ leader }: { readonly leader: LogLeader }): ServedService {
  return serviceOf(StorageManagerService, {
    latest: async ({ haveVersion }) => {
      const have = haveVersion === undefined ? undefined : Number(haveVersion);
      const { version, epoch, entries } = await leader.latest(have);
      return { version: BigInt(version), epoch: BigInt(epoch), entries };
    },
    commit: async ({ transaction }) => {
      const { version } = await leader.commit(decodeTransaction(textOf(transaction)));
      return { version: BigInt(version) };
    },
    reportPins: async ({ node, oldestVersion, oldestWriteMs, candidateAddress }) => {
      leader.reportPins({
        node,
        oldestVersion: Number(oldestVersion),
        oldestWriteMs: Number(oldestWriteMs),
        candidateAddress,
      });
      return {};
    },
    collectGarbage: ({ limit }) => leader.collectGarbage(limit),
  });
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw TesseraError.of('BAD_REQUEST', { message: 'The transaction is not UTF-8' }, { cause });
  }
}
