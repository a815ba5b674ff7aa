import type { TabletId } from '@tessera/catalog';
import { cancellation, startTimer, TesseraError } from '@tessera/common';
import type { KernelLog } from '@tessera/kernel';
import { type NodeCredentials, openRpcChannel, RpcChannels, StorageAgentService } from '@tessera/rpc';
import type { ObjectRange, PeerTablets } from '../storage-agent.ts';

export interface ClusterTabletsOptions {
  /** The addresses of the storage agents of the other nodes that answer. */
  readonly others: () => readonly string[];
  readonly credentials: NodeCredentials;
  readonly log: KernelLog;
  /** A node that is silent for longer is not waited for: the object store has the bytes too. Replaced in tests. */
  readonly silenceMs?: number;
}

/** Longer than most answers of an object store take. */
const SILENCE_MS = 200;
/** A node that failed or was silent is left alone for this time. */
const LEFT_ALONE_MS = 2_000;
/** How long the answer to which nodes have a tablet is used. */
const LOCATED_MS = 10_000;
/** In a large cluster, only some nodes are asked; the object store has what they do not have. */
const MOST_ASKED = 8;
/**
 * Another node answers faster than an object store, but has less bandwidth and processor time. More than this at once
 * comes from the object store.
 */
const MOST_BYTES_AT_ONCE = 512 << 10;
const MOST_READS_AT_ONCE = 8;
/** How many of the nodes that have a tablet are asked for a range of it. */
const MOST_READ = 2;

interface Located {
  readonly atMs: number;
  /** The addresses of nodes that have the tablet, those with most of it first. */
  readonly holders: Promise<readonly string[]>;
}

/**
 * The tablets on the disks of the other nodes of a cluster. A node is asked which tablets it has, because the node that has
 * written a tablet, or to which it belonged before nodes came and went, has it as well as the one where it is placed.
 */
export class ClusterTablets implements PeerTablets {
  readonly #options: ClusterTabletsOptions;
  readonly #silenceMs: number;
  /** The reads that are running, and their bytes. */
  #reads = 0;
  #bytes = 0;
  readonly #channels: RpcChannels;
  readonly #leftAloneUntil = new Map<string, number>();
  readonly #located = new Map<TabletId, Located>();
  /** The tablets of the next questions, which are asked for all scans that begin at about the same time. */
  #asking:
    | { readonly ids: TabletId[]; readonly answers: Promise<ReadonlyMap<string, readonly bigint[]>> }
    | undefined;

  constructor(options: ClusterTabletsOptions) {
    this.#options = options;
    this.#silenceMs = options.silenceMs ?? SILENCE_MS;
    this.#channels = new RpcChannels((address) => {
      const unanswered = (reason: string) => TesseraError.of('NODE_LOST', { node: address, reason });
      return openRpcChannel({ ...options.credentials, address, unanswered });
    });
  }

  async read(tablet: TabletId, range: ObjectRange, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const { bytes } = range;
    if (this.#reads >= MOST_READS_AT_ONCE || this.#bytes + bytes > MOST_BYTES_AT_ONCE) return undefined;
    if (this.#reachable().length === 0) return undefined;
    this.#reads++;
    this.#bytes += bytes;
    try {
      return await this.#read(tablet, range, signal);
    } finally {
      this.#reads--;
      this.#bytes -= bytes;
    }
  }

  async #read(tablet: TabletId, range: ObjectRange, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const holders = (await this.#locate(tablet)).filter((address) => this.#isReachable(address));
    for (const address of holders.slice(0, MOST_READ)) {
      if (signal.aborted) throw cancellation(signal);
      const body = await this.#readFrom(address, tablet, range, signal);
      if (body !== undefined) return body;
    }
    return undefined;
  }

  close(): void {
    this.#channels.close();
  }

  #locate(tablet: TabletId): Promise<readonly string[]> {
    const now = performance.now();
    for (const [id, { atMs }] of this.#located) {
      if (now - atMs < LOCATED_MS) break;
      this.#located.delete(id);
    }
    const known = this.#located.get(tablet);
    if (known !== undefined) return known.holders;
    this.#asking ??= this.#ask();
    const { ids, answers } = this.#asking;
    const at = ids.push(tablet) - 1;
    const holders = answers.then((byAddress) =>
      [...byAddress]
        .map(([address, bytes]) => ({ address, bytes: bytes[at] ?? 0n }))
        .filter(({ bytes }) => bytes > 0n)
        .sort((a, b) => Number(b.bytes - a.bytes))
        .map(({ address }) => address),
    );
    this.#located.set(tablet, { atMs: now, holders });
    return holders;
  }

  /** Asks the nodes, in random order, once the tablets of this turn of the event loop are known. */
  #ask() {
    const ids: TabletId[] = [];
    const answers = (async () => {
      await new Promise(setImmediate);
      this.#asking = undefined;
      const asked = shuffled(this.#reachable()).slice(0, MOST_ASKED);
      return new Map(
        await Promise.all(
          asked.map(async (address) => [address, await this.#bytesAt(address, ids)] as const),
        ),
      );
    })();
    return { ids, answers };
  }

  async #bytesAt(address: string, tabletIds: readonly TabletId[]): Promise<readonly bigint[]> {
    try {
      const client = this.#channels.to(address).client(StorageAgentService);
      return (await client.locate({ tabletIds: [...tabletIds] }, { timeoutMs: this.#silenceMs })).bytesOnDisk;
    } catch (error) {
      this.#leaveAlone(address, error);
      return [];
    }
  }

  async #readFrom(
    address: string,
    tabletId: TabletId,
    { offset, bytes, chunks }: ObjectRange,
    signal: AbortSignal,
  ): Promise<Uint8Array | undefined> {
    const silent = new AbortController();
    const timer = startTimer(() => silent.abort(), this.#silenceMs);
    try {
      const body = Buffer.allocUnsafe(bytes);
      let length = 0;
      const pieces = this.#channels
        .to(address)
        .client(StorageAgentService)
        .readRange(
          {
            tabletId,
            offset: BigInt(offset),
            bytes: BigInt(bytes),
            chunks: chunks.map(({ column, granule }) => ({ column, granule })),
          },
          { signal: AbortSignal.any([signal, silent.signal]) },
        );
      for await (const { data } of pieces) {
        timer.refresh();
        if (length + data.length > bytes) throw new Error(`more than ${bytes} bytes came`);
        body.set(data, length);
        length += data.length;
      }
      if (length === 0) return undefined;
      if (length < bytes) throw new Error(`${length} of ${bytes} bytes came`);
      return body;
    } catch (error) {
      if (signal.aborted) throw cancellation(signal);
      this.#leaveAlone(
        address,
        silent.signal.aborted ? new Error(`silent for ${this.#silenceMs} ms`) : error,
      );
      return undefined;
    } finally {
      timer.clear();
    }
  }

  #reachable(): readonly string[] {
    return this.#options.others().filter((address) => this.#isReachable(address));
  }

  #isReachable(address: string): boolean {
    return (this.#leftAloneUntil.get(address) ?? 0) <= performance.now();
  }

  #leaveAlone(address: string, error: unknown): void {
    this.#leftAloneUntil.set(address, performance.now() + LEFT_ALONE_MS);
    const reason = (error as Error).message;
    this.#options.log.info(
      { node: address, reason },
      'a node does not send tablets: they are read from the object store',
    );
  }
}

/** In random order, so that nodes with the same tablets share the work. */
const shuffled = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
