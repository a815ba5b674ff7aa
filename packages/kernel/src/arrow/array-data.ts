import type { Layout } from './layout.ts';

/**
 * An array over the bytes of a message. It is validated: a reader that follows its lengths and offsets stays
 * within the bytes.
 */
export interface ArrayData {
  readonly layout: Layout;
  readonly length: number;
  readonly buffers: readonly Uint8Array[];
  readonly children: readonly ArrayData[];
}
