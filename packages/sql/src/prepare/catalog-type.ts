import type { KernelType } from '@tessera/kernel';
import type { Expression } from '../tree.ts';
import { withOids } from '../types/output-type.ts';
import type { SqlType } from '../types/sql-type.ts';

/**
 * The dialect's type of a column in a query over PostgreSQL's catalog, where names and object identifiers
 * have types of their own.
 */
export const catalogType = (kernelType: KernelType, type: SqlType, item: Expression | undefined): SqlType =>
  type.kind === 'array' && item !== undefined && isListOfNames(item)
    ? { kind: 'array', element: { kind: 'text', postgres: 'name' } }
    : withOids(kernelType, type);

/** Matches columns of the catalog that hold names: `attname`, `relname`, `conname`, … */
const NAME_COLUMN = /^[a-z]{2,4}name$/;

/**
 * Whether the column is `name[]`, like `array_agg(a.attname)`. Drivers convert `text[]` to arrays but leave
 * `name[]` as text, which their clients parse themselves.
 */
function isListOfNames(item: Expression): boolean {
  if (item.class !== 'FUNCTION' || !/^(?:array_agg|list)$/.test(item.function_name)) return false;
  const [child] = item.children;
  return child?.class === 'COLUMN_REF' && NAME_COLUMN.test(child.column_names.at(-1) ?? '');
}
