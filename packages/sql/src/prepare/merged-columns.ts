import type { BindingSession } from '@tessera/kernel';
import {
  column,
  constant,
  type Expression,
  type JoinRef,
  operator,
  type QueryNode,
  type SelectNode,
  type StarNode,
  type Statement,
  selectAll,
  type TableRef,
  transformTree,
} from '../tree.ts';
import { describedAlone, queriesIn } from './query-alone.ts';

/**
 * Replaces `*` over joins with USING or NATURAL by the columns in the order of the standard: first the columns that the join
 * merges, then the others of its left side, then those of its right side:
 *     SELECT * FROM t NATURAL JOIN u       →   SELECT t.k, t.x, u.y FROM …
 *     SELECT * FROM v, t FULL JOIN u USING (k)   →   SELECT v.z, coalesce(t.k, u.k) AS k, t.x, u.y FROM …
 * The kernel keeps merged columns in their place in `t`, so that an INSERT or a UNION of such rows would put values into other
 * columns. A star keeps the kernel's order if its FROM uses columns of an outer query, or gives two relations one name.
 * @param bound the form of the statement that `binder` knows
 * @returns a function that replaces the stars in every form of the statement
 */
export async function mergedColumnsFirst(
  bound: Statement,
  binder: BindingSession,
): Promise<(statement: Statement) => Statement> {
  const replaced = new Map<Expression, readonly Expression[]>();
  const withoutStars = (statement: Statement): Statement =>
    transformTree(statement, {
      queryNode: (node) =>
        node.type === 'SELECT_NODE' && node.select_list.some((item) => replaced.has(item))
          ? {
              ...node,
              select_list: node.select_list.flatMap((item) => replaced.get(item) ?? [item]),
              from_table: withNames(node.from_table),
            }
          : node,
    });
  for (const { node, ctes } of queriesIn(bound, mergesInStar)) {
    const from = withNames(node.from_table);
    const columns = await columnsOf(from, async (select_list) => {
      const asked = withoutStars({ node: { ...selectAll(from), select_list }, named_param_map: [] });
      return (await describedAlone(asked.node, ctes, binder))?.map(({ name }) => name);
    });
    if (columns === undefined) continue;
    for (const item of node.select_list) {
      const kept = isPlainStar(item) ? without(columns, item.exclude_list) : undefined;
      if (kept !== undefined) replaced.set(item, kept);
    }
  }
  return replaced.size === 0 ? (statement) => statement : withoutStars;
}

const mergesInStar = (node: QueryNode): node is SelectNode =>
  node.type === 'SELECT_NODE' && node.select_list.some(isPlainStar) && hasMerge(node.from_table);

const hasMerge = (ref: TableRef): boolean =>
  ref.type === 'JOIN' && (isMerge(ref) || hasMerge(ref.left) || hasMerge(ref.right));

const isMerge = ({ using_columns, ref_type }: JoinRef): boolean =>
  using_columns.length > 0 || ref_type === 'NATURAL';

const isPlainStar = (item: Expression): item is StarNode =>
  item.class === 'STAR' &&
  item.relation_name === '' &&
  !item.columns &&
  item.expr === null &&
  item.replace_list.length === 0 &&
  item.rename_list.length === 0 &&
  item.qualified_exclude_list.length === 0;

interface MergedColumn {
  readonly name: string;
  readonly value: Expression;
}

/** The columns without those of EXCLUDE; undefined if EXCLUDE names another one, which the kernel then reports. */
function without(
  columns: readonly MergedColumn[],
  excluded: readonly string[],
): readonly Expression[] | undefined {
  const isUnknown = (name: string) => !columns.some((each) => same(each.name, name));
  if (excluded.some(isUnknown)) return undefined;
  return columns.filter(({ name }) => !excluded.some((each) => same(each, name))).map(({ value }) => value);
}

/**
 * The columns of the star over a FROM; undefined if they are unknown.
 * @param describe returns the names of the columns of a select list over the FROM
 */
async function columnsOf(
  from: TableRef,
  describe: (selectList: readonly Expression[]) => Promise<readonly string[] | undefined>,
): Promise<readonly MergedColumn[] | undefined> {
  const relations = relationsOf(from);
  if (new Set(relations.map(folded)).size < relations.length) return undefined;
  const [star] = selectAll(from).select_list as readonly [StarNode];
  const mark = { ...constant(null), alias: NEXT };
  const selectList = relations.flatMap((relation_name) => [mark, { ...star, relation_name }]);
  const names = await describe(selectList);
  const found: string[][] = [];
  for (const name of names ?? []) {
    if (name === NEXT) found.push([]);
    else found.at(-1)?.push(name);
  }
  if (found.length !== relations.length) return undefined;
  return columnsOfJoin(from, new Map(relations.map((name, i) => [name, found[i]!])));
}

/** Marks where the columns of the next relation begin. */
const NEXT = '$next relation';

/** Gives each relation of a FROM an alias: the name by which expressions can refer to it, or a new one. */
function withNames(from: TableRef): TableRef {
  let unnamed = 0;
  const named = (ref: TableRef): TableRef => {
    if (ref.type === 'JOIN') return { ...ref, left: named(ref.left), right: named(ref.right) };
    if (ref.alias !== '') return ref;
    if (ref.type === 'TABLE_FUNCTION') return { ...ref, alias: ref.function.function_name };
    if (ref.type === 'BASE_TABLE') return { ...ref, alias: ref.table_name };
    unnamed += 1;
    return { ...ref, alias: `tsr_relation_${unnamed}` };
  };
  return named(from);
}

/** The names of the relations whose columns a FROM returns, from left to right. */
function relationsOf(ref: TableRef): readonly string[] {
  if (ref.type !== 'JOIN') return [ref.alias];
  const left = relationsOf(ref.left);
  return returnsLeftOnly(ref) ? left : [...left, ...relationsOf(ref.right)];
}

const returnsLeftOnly = ({ join_type }: JoinRef): boolean => join_type === 'SEMI' || join_type === 'ANTI';

function columnsOfJoin(
  ref: TableRef,
  columns: ReadonlyMap<string, readonly string[]>,
): readonly MergedColumn[] | undefined {
  if (ref.type !== 'JOIN') {
    return columns.get(ref.alias)?.map((name) => ({ name, value: column(ref.alias, name) }));
  }
  const left = columnsOfJoin(ref.left, columns);
  if (left === undefined || returnsLeftOnly(ref)) return left;
  const right = columnsOfJoin(ref.right, columns);
  if (right === undefined) return undefined;
  const merged: MergedColumn[] = [];
  for (const name of mergedNames(ref, left, right)) {
    const [inLeft, secondLeft] = left.filter((each) => same(each.name, name));
    const [inRight, secondRight] = right.filter((each) => same(each.name, name));
    // The kernel reports columns that are missing or ambiguous.
    if (inLeft === undefined || inRight === undefined || secondLeft || secondRight) return undefined;
    const value = mergedValue(ref.join_type, inLeft, inRight);
    if (value === undefined) return undefined;
    merged.push({ name: inLeft.name, value });
  }
  const isOther = ({ name }: MergedColumn) => !merged.some((each) => same(each.name, name));
  return [...merged, ...left.filter(isOther), ...right.filter(isOther)];
}

function mergedNames(
  { ref_type, using_columns }: JoinRef,
  left: readonly MergedColumn[],
  right: readonly MergedColumn[],
): readonly string[] {
  if (ref_type !== 'NATURAL') return using_columns;
  const inRight = new Set(right.map(({ name }) => folded(name)));
  return left.flatMap(({ name }) => (inRight.has(folded(name)) ? [name] : []));
}

/** The value of a merged column: that of the side whose rows are all returned, or of any side that has one. */
function mergedValue(joinType: string, left: MergedColumn, right: MergedColumn): Expression | undefined {
  switch (joinType) {
    case 'INNER':
    case 'LEFT':
      return left.value;
    case 'RIGHT':
      return right.value;
    case 'FULL':
      return { ...operator('OPERATOR_COALESCE', left.value, right.value), alias: left.name };
    default:
      return undefined;
  }
}

const folded = (name: string): string => name.toLowerCase();

const same = (a: string, b: string): boolean => folded(a) === folded(b);
