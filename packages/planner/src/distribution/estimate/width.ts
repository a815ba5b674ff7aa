import { decimalWidth, fixedWidth } from '@tessera/kernel';
import type { PlanType } from '../../plan-nodes.ts';
import type { RelationColumn } from '../../relational/relation.ts';

/** Assumed sizes of variable-length types, including their headers. */
const USUAL_WIDTHS: Readonly<Record<string, number>> = {
  VARCHAR: 20,
  BLOB: 40,
  LIST: 48,
  ARRAY: 48,
  MAP: 64,
  STRUCT: 32,
};

/** The approximate number of bytes of a value of the type in memory. */
export const usualWidth = ({ id, type_info }: PlanType): number =>
  id === 'DECIMAL' ? decimalWidth(type_info?.width ?? 18) : (fixedWidth(id) ?? USUAL_WIDTHS[id] ?? 8);

export const rowWidth = (columns: readonly RelationColumn[]): number =>
  columns.reduce((sum, { type }) => sum + usualWidth(type), 1);
