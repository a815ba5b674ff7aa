import { createHash } from 'node:crypto';
import { loadConfig } from '@tessera/config';
import { type ObjectStore, openObjectStore } from '@tessera/object-store';

/** An entry of the metadata log, with the fields that these tests use; see docs/metadata-log.md. */
export interface BucketEntry {
  readonly version: number;
  readonly epoch: number;
  readonly put_id: string;
  readonly prev_sha256: string;
  readonly records: readonly {
    readonly kind: string;
    readonly address?: string;
    readonly names?: readonly string[];
  }[];
  readonly txns: readonly { readonly txn_id: string }[];
}

/** Reads an instance's log directly from its bucket, bypassing nodes and faults. */
export class BucketLog implements AsyncDisposable {
  readonly #store: ObjectStore;

  private constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** Uses the credentials of the environment, like a node. */
  static async open(configPath: string): Promise<BucketLog> {
    const { config } = await loadConfig(configPath);
    return new BucketLog(await openObjectStore(config, { dataDirectory: '' }));
  }

  async keys(prefix: string): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key } of this.#store.list(prefix)) keys.push(key);
    return keys;
  }

  /** The number of entries. */
  async length(): Promise<number> {
    return (await this.keys('meta/log/')).length;
  }

  /**
   * All entries. @throws unless they form one chain: each version occurs once and in its own slot, each
   * refers to the bytes of its predecessor, epochs only grow, and no transaction occurs twice
   */
  async entries(): Promise<BucketEntry[]> {
    const entries: BucketEntry[] = [];
    const transactions = new Set<string>();
    let before = '0'.repeat(64);
    let epoch = 0;
    for (const key of await this.keys('meta/log/')) {
      const { body } = (await this.#store.get(key))!;
      const entry = JSON.parse(Buffer.from(body).toString()) as BucketEntry;
      const expected = entries.length + 1;
      if (entry.version !== expected || !key.endsWith(`/${String(expected).padStart(20, '0')}.json`)) {
        throw new Error(`${key} has version ${entry.version}, where ${expected} was expected`);
      }
      if (entry.prev_sha256 !== before) throw new Error(`${key} does not follow the entry before it`);
      if (entry.epoch < epoch) throw new Error(`${key} is of epoch ${entry.epoch}, after epoch ${epoch}`);
      for (const { txn_id: id } of entry.txns) {
        if (transactions.has(id)) throw new Error(`${key} has transaction ${id} a second time`);
        transactions.add(id);
      }
      before = createHash('sha256').update(body).digest('hex');
      epoch = entry.epoch;
      entries.push(entry);
    }
    return entries;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store.close();
  }
}
