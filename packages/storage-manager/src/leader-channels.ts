import { TesseraError } from '@tessera/common';
import type { ObjectStore } from '@tessera/object-store';
import {
  type ClusterTls,
  type NodeStore,
  openRpcChannel,
  type RpcChannel,
  type RpcClient,
  StorageManagerService,
} from '@tessera/rpc';
import { decodeHint } from './log-node/leader-hint.ts';
import { LEADER_KEY } from './log-node/log-keys.ts';

export interface LeaderChannelsOptions {
  readonly store: ObjectStore;
  /**
   * The external metadata service, which is asked first. If undefined, the leader is found by its hint in the
   * store.
   */
  readonly endpoint: string | undefined;
  /** The address of this node, which is never called. */
  readonly ownAddress: string;
  readonly clusterToken: string | undefined;
  readonly tls?: ClusterTls | undefined;
  /** The store identity that the leader compares with its own. */
  readonly identity: NodeStore | undefined;
}

export type LeaderClient = RpcClient<typeof StorageManagerService>;

/** Finds the leader and keeps the connection to it. */
export class LeaderChannels {
  readonly #options: LeaderChannelsOptions;
  #channel: RpcChannel | undefined;
  #client: LeaderClient | undefined;
  #endpointFailed = false;

  constructor(options: LeaderChannelsOptions) {
    this.#options = options;
  }

  /** Undefined if no leader is known. */
  async client(): Promise<LeaderClient | undefined> {
    if (this.#client !== undefined) return this.#client;
    const address = await this.#address();
    if (address === undefined) return undefined;
    this.#channel?.close();
    this.#channel = openRpcChannel({
      address,
      clusterToken: this.#options.clusterToken,
      tls: this.#options.tls,
      tableStore: this.#options.identity,
      unanswered: (reason) => TesseraError.of('METADATA_UNAVAILABLE', { reason: `${address}: ${reason}` }),
    });
    this.#client = this.#channel.client(StorageManagerService);
    return this.#client;
  }

  /**
   * The address of the leader by its hint in the store, if its lease is valid by this node's clock. Otherwise
   * undefined, because another process may answer at that address.
   */
  async holderOfLease(): Promise<string | undefined> {
    const found = await this.#options.store.get(LEADER_KEY);
    const hint = found === undefined ? undefined : decodeHint(found.body);
    return hint !== undefined && hint.leaseUntil > Date.now() ? hint.address : undefined;
  }

  /**
   * Called if the node that was asked does not lead or does not answer: the next call looks for another one.
   */
  failed(client: LeaderClient): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#endpointFailed = !this.#endpointFailed;
  }

  close(): void {
    this.#channel?.close();
    this.#channel = undefined;
    this.#client = undefined;
  }

  async #address(): Promise<string | undefined> {
    const { endpoint, store, ownAddress } = this.#options;
    if (endpoint !== undefined && !this.#endpointFailed) return endpoint;
    const found = await store.get(LEADER_KEY);
    const hinted = found === undefined ? undefined : decodeHint(found.body)?.address;
    return hinted === undefined || hinted === '' || hinted === ownAddress ? endpoint : hinted;
  }
}
