import type { TableObject } from '@tessera/catalog';
import type { ScanUse } from '@tessera/storage-agent';

/** How a statement reads a managed table, all its appearances taken together. */
export interface TableAccess {
  readonly table: TableObject;
  /** Names of the columns that are read. */
  readonly columns: readonly string[];
  readonly tabletsTotal: number;
  /** Of the total: left out because of their partition. */
  readonly tabletsPrunedByPartition: number;
  /** Of the total: left out because of minima and maxima. */
  readonly tabletsPrunedByRange: number;
  readonly granulesTotal: number;
  readonly granulesPruned: number;
  readonly use: ScanUse;
}
