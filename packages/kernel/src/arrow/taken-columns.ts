import type { FieldNode } from 'apache-arrow/ipc/metadata/message';
import type { GrowingBuffer } from './growing-buffer.ts';

/** The nodes and buffers of a batch, and the builder that each buffer came from. */
export class TakenColumns {
  readonly nodes: FieldNode[] = [];
  readonly buffers: Uint8Array[] = [];
  readonly #owners: { readonly owner: GrowingBuffer; readonly bytes: Buffer }[] = [];

  add(owner: GrowingBuffer, bytes: Buffer): void {
    this.buffers.push(bytes);
    this.#owners.push({ owner, bytes });
  }

  /** Must be called when nobody reads the bytes any more. */
  recycle(): void {
    for (const { owner, bytes } of this.#owners) owner.recycle(bytes);
  }
}
