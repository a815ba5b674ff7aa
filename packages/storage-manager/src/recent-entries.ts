import type { SealedEntry } from '@tessera/catalog';

const MAX_ENTRIES = 1_024;
const MAX_BYTES = 4 << 20;

/** The newest entries that this node appended, for followers that lack only these. */
export class RecentEntries {
  #entries: SealedEntry[] = [];
  #bytes = 0;

  add(sealed: SealedEntry): void {
    const last = this.#entries.at(-1);
    if (last !== undefined && last.entry.version + 1 !== sealed.entry.version) this.clear();
    this.#entries.push(sealed);
    this.#bytes += sealed.bytes.length;
    while (this.#entries.length > MAX_ENTRIES || this.#bytes > MAX_BYTES) {
      const oldest = this.#entries.shift();
      if (oldest === undefined) return;
      this.#bytes -= oldest.bytes.length;
    }
  }

  clear(): void {
    this.#entries = [];
    this.#bytes = 0;
  }

  /** The entries after `version` up to `head`; empty if some of them are not kept here. */
  between(version: number, head: number): Uint8Array[] {
    const [first] = this.#entries;
    if (first === undefined || version >= head) return [];
    const from = version + 1 - first.entry.version;
    const to = head + 1 - first.entry.version;
    if (from < 0 || to > this.#entries.length) return [];
    return this.#entries.slice(from, to).map(({ bytes }) => bytes);
  }
}
