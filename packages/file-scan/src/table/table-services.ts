import type { KernelSession } from '@tessera/kernel';
import type { ExternalSources } from '@tessera/object-store';

/** What reading the metadata of a table needs. */
export interface TableServices {
  readonly external: ExternalSources;
  readonly session: KernelSession;
  /** A directory of the statement that the kernel can read. */
  readonly directory: () => Promise<string>;
  readonly signal: AbortSignal;
}
