import { applyEntry, CatalogState, decodeEntry } from '@tessera/catalog';
import type { TesseraError } from '@tessera/common';
import { decodeBoundary } from '../../src/log-node/boundary.ts';
import { encodeIdentity, IDENTITY_KEY } from '../../src/log-node/identity.ts';
import { BOUNDARY_KEY, entryVersion } from '../../src/log-node/log-keys.ts';
import { type BucketObserver, VirtualBucket } from './virtual-bucket.ts';

export const STORE_ID = '01JZ0000000000000000000000';

/** A violated guarantee. */
export class Violation extends Error {}

/** Whether an error proves that a transaction was not committed. */
export const isRefusal = ({ name }: TesseraError): boolean =>
  ['TRANSACTION_CONFLICT', 'DUPLICATE_OBJECT', 'UNDEFINED_OBJECT', 'DEPENDENT_OBJECTS'].includes(name);

/** Observes every event at the moment it happens and checks that it is allowed. */
export class Auditor implements BucketObserver {
  readonly bucket = new VirtualBucket(this);
  /** The state at each version, computed from the log as it was written. */
  readonly states: CatalogState[] = [CatalogState.empty];
  /** The version at which the log contains a transaction. */
  readonly #inLog = new Map<string, number>();
  readonly #acknowledged = new Map<string, number>();
  readonly #refused = new Set<string>();
  /** The versions that statements are reading. */
  pinned: () => Iterable<number> = () => [];
  newestAcknowledged = 0;
  deletedTablets = 0;
  strayEntries = 0;

  constructor() {
    this.bucket.put(IDENTITY_KEY, encodeIdentity(STORE_ID));
  }

  get head(): CatalogState {
    return this.states.at(-1)!;
  }

  created(key: string, body: Uint8Array): void {
    const version = entryVersion(key);
    if (version === undefined) return;
    if (version <= this.head.version) {
      this.strayEntries++;
      return;
    }
    const sealed = decodeEntry(body);
    try {
      this.states.push(applyEntry(this.head, sealed));
    } catch (error) {
      throw new Violation(`the log forks or has a gap: ${(error as Error).message}`);
    }
    for (const { idempotencyKey, actions } of sealed.entry.txns) {
      const before = this.#inLog.get(idempotencyKey);
      if (before !== undefined)
        throw new Violation(`${idempotencyKey} is in the log at ${before} and ${version}`);
      if (this.#refused.has(idempotencyKey))
        throw new Violation(`${idempotencyKey} was refused and is committed at ${version}`);
      this.#inLog.set(idempotencyKey, version);
      for (const action of actions) {
        if (action.kind !== 'add_tablet' || action.tablet.key === undefined) continue;
        if (this.bucket.get(action.tablet.key) === undefined)
          throw new Violation(`${action.tablet.key} was committed after it was deleted`);
      }
    }
  }

  deleted(key: string): void {
    const version = entryVersion(key);
    if (version !== undefined && version > this.#boundary())
      throw new Violation(`entry ${version} was deleted above the boundary`);
    if (!key.startsWith('tablets/')) return;
    this.deletedTablets++;
    if (names(this.head).has(key)) throw new Violation(`${key} was deleted and is live`);
    for (const version of this.pinned()) {
      if (names(this.states[version]!).has(key))
        throw new Violation(`${key} was deleted while a statement reads version ${version}`);
    }
  }

  #boundary(): number {
    const boundary = this.bucket.get(BOUNDARY_KEY);
    return boundary === undefined ? 0 : decodeBoundary(boundary.body).version;
  }

  acknowledged(idempotencyKey: string, version: number): void {
    const inLog = this.#inLog.get(idempotencyKey);
    if (inLog !== version)
      throw new Violation(`${idempotencyKey} was acknowledged at ${version}, the log has it at ${inLog}`);
    if (this.#refused.has(idempotencyKey))
      throw new Violation(`${idempotencyKey} was refused and acknowledged`);
    this.#acknowledged.set(idempotencyKey, version);
    this.newestAcknowledged = Math.max(this.newestAcknowledged, version);
  }

  refused(idempotencyKey: string, error: TesseraError): void {
    const inLog = this.#inLog.get(idempotencyKey);
    if (inLog !== undefined)
      throw new Violation(`${idempotencyKey} is committed at ${inLog} and refused: ${error.message}`);
    this.#refused.add(idempotencyKey);
  }

  /** @param atLeast the newest version that was acknowledged when the read was requested */
  read(catalog: CatalogState, atLeast: number): void {
    if (catalog.version < atLeast) {
      throw new Violation(`a read gave version ${catalog.version} after ${atLeast} was acknowledged`);
    }
    this.same(catalog);
  }

  /** Checks that a node's state equals that of the log. */
  same(catalog: CatalogState): void {
    if (this.states[catalog.version]?.headSha256 !== catalog.headSha256)
      throw new Violation(`a node has a version ${catalog.version} that is not that of the log`);
  }

  /** Checks at the end that no live object is missing. */
  nothingMissing(): void {
    for (const key of names(this.head)) {
      if (this.bucket.get(key) === undefined) throw new Violation(`${key} is live and missing`);
    }
  }

  /** Objects that nothing refers to and whose deletion no collection has begun. */
  orphans(): string[] {
    const known = new Set([...names(this.head), ...[...this.head.tombstones()].map(({ name }) => name)]);
    return [...this.bucket.objects.keys()].filter((key) => key.startsWith('tablets/') && !known.has(key));
  }

  get acknowledgements(): number {
    return this.#acknowledged.size;
  }
}

function names(state: CatalogState): Set<string> {
  return new Set(state.objectNames());
}
