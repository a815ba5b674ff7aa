import type { Kernel, KernelSession } from '@tessera/kernel';
import type { HotTablet } from '../eviction/eviction-policy.ts';
import type { ResidentPart, ResidentTable, ResidentTableKey } from './resident-table.ts';

export interface HotPart {
  readonly resident: ResidentTable;
  readonly part: ResidentPart;
}

/** The resident tables of the kernel process that runs now. When another process takes its place, there are none. */
export class ResidentTables {
  readonly #kernel: Kernel;
  readonly #tables = new Map<ResidentTableKey, ResidentTable>();
  #processId: string | undefined;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  /** The number of tablets in memory. */
  get tablets(): number {
    let tablets = 0;
    for (const resident of this.all()) tablets += resident.parts.size;
    return tablets;
  }

  /** The memory in bytes that they occupy. */
  get bytes(): number {
    let bytes = 0;
    for (const resident of this.all()) bytes += resident.bytes;
    return bytes;
  }

  /** The kernel process that has the tables; undefined before the first one. */
  get processId(): string | undefined {
    return this.#processId;
  }

  all(): Iterable<ResidentTable> {
    this.noticeProcess(this.#kernel.processId);
    return this.#tables.values();
  }

  /** The resident table that a session can read. */
  readableIn(session: KernelSession, key: ResidentTableKey): ResidentTable | undefined {
    this.noticeProcess(this.#kernel.processId);
    return session.processId === this.#processId ? this.#tables.get(key) : undefined;
  }

  get(key: ResidentTableKey): ResidentTable | undefined {
    return this.#tables.get(key);
  }

  set(resident: ResidentTable): void {
    this.#tables.set(resident.key, resident);
  }

  delete(resident: ResidentTable): void {
    this.#tables.delete(resident.key);
  }

  /** Whether it has been neither dropped nor replaced. */
  has(resident: ResidentTable): boolean {
    return this.#tables.get(resident.key) === resident;
  }

  /** Forgets the tables of earlier kernel processes. */
  noticeProcess(processId: string | undefined): void {
    if (processId === undefined || processId === this.#processId) return;
    this.#processId = processId;
    this.#tables.clear();
  }

  /** The tablets that eviction chooses from. */
  hotTablets(): HotTablet<HotPart>[] {
    return [...this.all()].flatMap((resident) =>
      resident.liveParts().map((part) => ({
        id: { resident, part },
        bytes: (resident.bytes * part.tablet.rows) / resident.nextPosition,
        lastUsedMs: resident.lastUse(part),
      })),
    );
  }
}
