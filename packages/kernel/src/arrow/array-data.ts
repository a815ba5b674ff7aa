import type { Layout } from './layout.ts';

/** An array over the bytes of a message, checked: whatever reads it by its own lengths and offsets stays inside. */
export interface ArrayData {
  readonly layout: Layout;
  readonly length: number;
  readonly buffers: readonly Uint8Array[];
  readonly children: readonly ArrayData[];
}
