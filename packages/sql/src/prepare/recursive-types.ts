import { TesseraError } from '@tessera/common';
import { type BindingSession, type KernelType, typeToSql } from '@tessera/kernel';
import type { QueryNode, Statement } from '../tree.ts';
import { describedAlone, queriesIn } from './query-alone.ts';

type RecursiveNode = Extract<QueryNode, { type: 'RECURSIVE_CTE_NODE' }>;

const isRecursive = (node: QueryNode): node is RecursiveNode => node.type === 'RECURSIVE_CTE_NODE';

/**
 * Refuses a recursive query whose recursive term returns values that its non-recursive term has no type for. The kernel would
 * convert each of them, so that the fractions of numbers and the times of days were lost:
 *     WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1.5 FROM t WHERE n < 5) SELECT n FROM t   -- 1, 2, 4, 6
 * @throws TesseraError DATATYPE_MISMATCH, as PostgreSQL does
 */
export async function checkRecursiveTypes(bound: Statement, binder: BindingSession): Promise<void> {
  for (const { node, ctes } of queriesIn(bound, isRecursive)) {
    const first = await describedAlone(node.left, ctes, binder);
    const itself = {
      key: node.cte_name,
      value: {
        aliases: node.aliases,
        query: { node: node.left, named_param_map: [] },
        materialized: 'CTE_MATERIALIZE_DEFAULT',
        key_targets: [],
      },
    };
    const more = await describedAlone(node.right, [...ctes, itself], binder);
    for (const [i, { name, type }] of (first ?? []).entries()) {
      const other = more?.[i]?.type;
      if (other === undefined || !losesDigits(other, type)) continue;
      const message = `Column "${node.aliases[i] ?? name}" of the recursive query "${node.cte_name}" is ${shown(type)} in its non-recursive term, but ${shown(other)} in its recursive term: cast it in the non-recursive term`;
      throw TesseraError.of('DATATYPE_MISMATCH', { message });
    }
  }
}

const WHOLE: ReadonlySet<string> = new Set(['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT']);
const INEXACT: ReadonlySet<string> = new Set(['FLOAT', 'DOUBLE']);
/** The scale of NUMERIC without one, which stands for numbers of any scale. */
const ANY_SCALE = 9;

/** Whether values of one type may lose digits or a time as values of the other. */
function losesDigits(from: KernelType, to: KernelType): boolean {
  if (to.id === 'DATE') return from.id === 'TIMESTAMP' || from.id === 'TIMESTAMPTZ';
  if (to.id === 'FLOAT') return from.id === 'DOUBLE';
  if (to.id === 'DECIMAL') {
    if (to.scale >= ANY_SCALE) return false;
    return INEXACT.has(from.id) || (from.id === 'DECIMAL' && from.scale > to.scale);
  }
  return WHOLE.has(to.id) && (INEXACT.has(from.id) || (from.id === 'DECIMAL' && from.scale > 0));
}

const shown = (type: KernelType): string =>
  typeToSql(type)
    .toLowerCase()
    .replace('decimal', 'numeric')
    .replace(/^double$/, 'double precision');
