import type { BindingSession, KernelType } from '@tessera/kernel';
import { arrayLiteral } from '../postgres/array-literals.ts';
import { byteaLiteral } from '../rewrites/literals.ts';
import { timeLiteral } from '../rewrites/time-texts.ts';
import {
  cast,
  constant,
  type Expression,
  type ExpressionListRef,
  type QueryNode,
  type SelectNode,
  type SetOperationNode,
  type Statement,
  selectAll,
  type TableRef,
  type TypeNode,
  transformTree,
} from '../tree.ts';
import { outputType } from '../types/output-type.ts';
import { typeNode } from '../types/type-node.ts';
import { branchesOf, isSetOperation } from './branches.ts';
import { describedAlone, queriesIn } from './query-alone.ts';

/**
 * A text literal or a parameter takes the type that its column has in the other queries of a set operation or in the other rows of
 * VALUES, as in PostgreSQL. The kernel would make the whole column TEXT, or refuse it:
 *     SELECT day FROM t UNION SELECT '2026-01-01'   →   SELECT day FROM t UNION SELECT CAST('2026-01-01' AS DATE)
 *     VALUES ('7'), ($1), (1)                       →   VALUES (CAST('7' AS INTEGER)), (CAST($1 AS INTEGER)), (1)
 * They stay texts if the query around them uses columns of an outer query.
 * @param bound the form of the statement that `binder` knows
 * @returns a function that replaces them in every form of the statement
 */
export async function typedRows(
  bound: Statement,
  binder: BindingSession,
): Promise<(statement: Statement) => Statement> {
  const typed = new Map<Expression, Expression>();
  for (const { node, ctes } of queriesIn(bound, hasUntyped)) {
    for (const { query, rows } of rowsIn(node)) {
      const columns = await describedAlone(
        withoutUntyped(query, rows, () => constant(null)),
        ctes,
        binder,
      );
      const isWhole = (i: number) => columns?.[i]?.type.id === 'INTEGER';
      const whole = columns?.some((_, i) => isWhole(i))
        ? await describedAlone(
            withoutUntyped(query, rows, (i) => (isWhole(i) ? NO_BOOLEAN : constant(null))),
            ctes,
            binder,
          )
        : [];
      for (const items of rows) {
        for (const [i, item] of items.entries()) {
          const type = columns?.[i] && isUntyped(item) ? typeNodeOf(columns[i].type) : undefined;
          // A column of NULLs is an INTEGER for the kernel, unless it takes another type.
          if (type === undefined || (type.id === 'INTEGER' && whole?.[i]?.type.id !== 'INTEGER')) continue;
          const value = cast({ ...item, alias: '' }, type);
          typed.set(item, { ...byteaLiteral(arrayLiteral(timeLiteral(value))), alias: item.alias });
        }
      }
    }
  }
  if (typed.size === 0) return (statement) => statement;
  return (statement) => transformTree(statement, { expression: (node) => typed.get(node) ?? node });
}

/** The type of a column in the form of the parse tree; undefined for TEXT and for nested types that the dialect does not have. */
export function typeNodeOf(type: KernelType): TypeNode | undefined {
  if (type.id === 'VARCHAR') return undefined;
  const { type: shown, convert } = outputType(type);
  if (convert === undefined) return typeNode(shown);
  return shown.kind === 'array' || shown.kind === 'struct' ? undefined : { id: type.id, type_info: null };
}

type Row = readonly Expression[];

/** Rows whose columns have one type each, and the query that returns them. */
interface Rows {
  readonly query: QueryNode;
  readonly rows: readonly Row[];
}

/** Whether an item is a text literal or a parameter without a value. */
const isUntyped = (item: Expression): boolean =>
  item.class === 'PARAMETER' ||
  (item.class === 'CONSTANT' && !item.value.is_null && item.value.type.id === 'VARCHAR');

const isNull = (item: Expression): boolean => item.class === 'CONSTANT' && item.value.is_null;

/** Whether untyped items stand in one column with values that may have another type than text. */
function isMixed(rows: readonly Row[]): boolean {
  const untyped = new Set<number>();
  const others = new Set<number>();
  for (const row of rows) {
    for (const [i, item] of row.entries()) {
      if (isUntyped(item)) untyped.add(i);
      else if (!isNull(item)) others.add(i);
    }
  }
  return [...untyped].some((i) => others.has(i));
}

const hasUntyped = (node: QueryNode): node is SelectNode | SetOperationNode => rowsIn(node).length > 0;

/** The rows of a set operation, or of each VALUES in the FROM of a SELECT, if they are mixed. */
function rowsIn(node: QueryNode): readonly Rows[] {
  if (isSetOperation(node)) return node.setop_type === 'UNION_BY_NAME' ? [] : rowsOfSet(node);
  const found =
    node.type === 'SELECT_NODE'
      ? valuesIn(node.from_table).map((ref) => ({ query: selectAll(ref), rows: ref.values }))
      : [];
  return found.filter(({ rows }) => isMixed(rows));
}

/** The columns of a query with a star, and of one that is no SELECT, do not stand in its text. */
function rowsOfSet(node: SetOperationNode): readonly Rows[] {
  const branches = branchesOf(node);
  const written = branches.flatMap((branch) =>
    branch.type === 'SELECT_NODE' && branch.select_list.every(({ class: kind }) => kind !== 'STAR')
      ? [branch.select_list]
      : [],
  );
  const isOpen = written.length < branches.length && written.some((row) => row.some(isUntyped));
  return isOpen || isMixed(written) ? [{ query: { ...node, modifiers: [] }, rows: written }] : [];
}

function valuesIn(ref: TableRef): readonly ExpressionListRef[] {
  if (ref.type === 'EXPRESSION_LIST') return [ref];
  return ref.type === 'JOIN' ? [...valuesIn(ref.left), ...valuesIn(ref.right)] : [];
}

const NO_BOOLEAN = cast(constant(null), 'BOOLEAN');

/** The query with a NULL, which takes the type of the other values of its column, in place of each untyped item. */
function withoutUntyped(
  query: QueryNode,
  rows: readonly Row[],
  nullOf: (column: number) => Expression,
): QueryNode {
  const columns = new Map(
    rows.flatMap((row) => row.flatMap((item, i) => (isUntyped(item) ? [[item, i] as const] : []))),
  );
  return transformTree(query, {
    expression: (node) => {
      const column = columns.get(node);
      return column === undefined ? node : { ...nullOf(column), alias: node.alias };
    },
  });
}
