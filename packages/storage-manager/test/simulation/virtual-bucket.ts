import { type CatalogState, encodeCheckpoint } from '@tessera/catalog';
import type { StoreAnswer, StoreRequest } from '../../src/log-node/effects.ts';
import { checkpointKey } from '../../src/log-node/log-keys.ts';

interface Stored {
  readonly body: Uint8Array;
  readonly etag: string;
}

/** A checkpoint that is only encoded when somebody reads it, because most are never read. */
class StoredCheckpoint implements Stored {
  readonly etag: string;
  readonly #catalog: CatalogState;
  #body: Uint8Array | undefined;

  constructor(catalog: CatalogState, etag: string) {
    this.#catalog = catalog;
    this.etag = etag;
  }

  get body(): Uint8Array {
    this.#body ??= encodeCheckpoint(this.#catalog);
    return this.#body;
  }
}

/** Notified of every change at the moment it happens. */
export interface BucketObserver {
  created(key: string, body: Uint8Array): void;
  deleted(key: string): void;
}

/** Objects in memory. Each request takes effect at one instant. */
export class VirtualBucket {
  readonly objects = new Map<string, Stored>();
  readonly #observer: BucketObserver;
  /** The keys that a store without consistent listings may still return. */
  #listedBefore: readonly string[] = [];
  #etags = 0;

  constructor(observer: BucketObserver) {
    this.#observer = observer;
  }

  put(key: string, body: Uint8Array): void {
    this.objects.set(key, { body, etag: String(++this.#etags) });
  }

  get(key: string): Stored | undefined {
    return this.objects.get(key);
  }

  /**
   * @param options `staleListing`: the listing is outdated or truncated. `ulid`: for the name of a
   * checkpoint.
   */
  apply(request: StoreRequest, { staleListing, ulid }: { staleListing: boolean; ulid: string }): StoreAnswer {
    switch (request.kind) {
      case 'get': {
        const found = this.objects.get(request.key);
        if (found === undefined) return { kind: 'absent' };
        return { kind: 'found', body: found.body, etag: found.etag };
      }
      case 'get_all':
        return { kind: 'got_all', bodies: request.keys.map((key) => this.objects.get(key)?.body) };
      case 'put_if_absent':
        return this.#create(request.key, request.body);
      case 'put_if_match': {
        if (this.objects.get(request.key)?.etag !== request.etag) return { kind: 'changed' };
        this.put(request.key, request.body);
        return { kind: 'replaced' };
      }
      case 'put_checkpoint': {
        const key = checkpointKey(request.catalog.version, ulid);
        this.objects.set(key, new StoredCheckpoint(request.catalog, String(++this.#etags)));
        return { kind: 'checkpoint_stored', key, bytes: 1_000 };
      }
      case 'list': {
        const now = [...this.objects.keys()].sort();
        const shown = staleListing ? this.#listedBefore : now;
        this.#listedBefore = now.slice(0, Math.ceil(now.length / 2));
        const keys = shown.filter((key) => key.startsWith(request.prefix) && key > request.startAfter);
        return { kind: 'listed', keys: keys.slice(0, request.limit) };
      }
      case 'delete':
        for (const key of request.keys) {
          if (this.objects.delete(key)) this.#observer.deleted(key);
        }
        return { kind: 'deleted' };
    }
  }

  #create(key: string, body: Uint8Array): StoreAnswer {
    if (this.objects.has(key)) return { kind: 'exists' };
    this.put(key, body);
    this.#observer.created(key, body);
    return { kind: 'created' };
  }
}
