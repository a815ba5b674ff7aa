import type { BindingSession, KernelColumn } from '@tessera/kernel';
import { deparse } from '../parse/parse.ts';
import type { ConvertedColumn } from '../relations/prepare-context.ts';
import type { Expression, Statement } from '../tree.ts';
import { transformTree } from '../tree.ts';

/**
 * Corrects the types of SUM: SUM of INT is BIGINT and SUM of BIGINT is NUMERIC(38, 0), while the kernel
 * returns HUGEINT for both. To find the argument's type, the kernel is asked for the types of the same query
 * with MIN instead of SUM.
 */
export async function sumTypes(
  session: BindingSession,
  statement: Statement,
  columns: readonly KernelColumn[],
): Promise<readonly ConvertedColumn[]> {
  if (!columns.some((column) => column.type.id === 'HUGEINT')) return columns;
  const probe = transformTree(statement, {
    expression: (node) => (isSum(node) ? { ...node, function_name: SUMS[node.function_name]! } : node),
  });
  if (probe === statement) return columns;
  const { columns: arguments_ } = await session.describe(await deparse(session, probe));
  return columns.map((column, i) => {
    const isNarrow = NARROW.has(arguments_[i]?.type.id ?? '');
    return column.type.id === 'HUGEINT' && isNarrow
      ? { name: column.name, type: { id: 'BIGINT' }, convertTo: 'BIGINT' }
      : column;
  });
}

const NARROW: ReadonlySet<string> = new Set([
  'BOOLEAN',
  'TINYINT',
  'SMALLINT',
  'INTEGER',
  'UTINYINT',
  'USMALLINT',
]);

const isSum = (node: Expression): node is Expression & { readonly function_name: string } =>
  (node.class === 'FUNCTION' || node.class === 'WINDOW') && Object.hasOwn(SUMS, node.function_name);

/**
 * The functions that the kernel types as HUGEINT for INT, each with a function that has the type of its
 * argument.
 */
const SUMS: Readonly<Record<string, string>> = { sum: 'min', list_sum: 'list_min' };
