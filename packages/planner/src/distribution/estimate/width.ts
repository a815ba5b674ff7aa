import type { PlanType } from '../../plan-nodes.ts';
import type { RelationColumn } from '../../relational/relation.ts';

const WIDTHS: Readonly<Record<string, number>> = {
  BOOLEAN: 1,
  TINYINT: 1,
  UTINYINT: 1,
  SMALLINT: 2,
  USMALLINT: 2,
  INTEGER: 4,
  UINTEGER: 4,
  FLOAT: 4,
  DATE: 4,
  HUGEINT: 16,
  UHUGEINT: 16,
  UUID: 16,
  INTERVAL: 16,
  VARCHAR: 20,
  BLOB: 40,
  LIST: 48,
  ARRAY: 48,
  MAP: 64,
  STRUCT: 32,
};

/** Bytes of a value of the type in memory, about. */
export function typeWidth({ id, type_info }: PlanType): number {
  if (id === 'DECIMAL') {
    const digits = type_info?.width ?? 18;
    return digits > 18 ? 16 : digits > 9 ? 8 : 4;
  }
  return WIDTHS[id] ?? 8;
}

export const rowWidth = (columns: readonly RelationColumn[]): number =>
  columns.reduce((sum, { type }) => sum + typeWidth(type), 1);
