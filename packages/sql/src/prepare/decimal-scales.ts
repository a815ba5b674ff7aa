import { fail, isSameName, TesseraError } from '@tessera/common';
import type { BindingSession, KernelColumn, KernelType } from '@tessera/kernel';
import type { Placement } from '../relations/placement.ts';
import {
  call,
  cast,
  column,
  type Expression,
  isQueryNode,
  isTableRef,
  NO_LOCATION,
  operator,
  type QueryNode,
  type SetOperationNode,
  type Statement,
  selectAll,
  spelling,
  type TableRef,
  type TypeNode,
  transformTree,
} from '../tree.ts';
import { decimalNode, listOf } from '../types/type-node.ts';
import { branchesOf, isSetOperation, withBranches } from './branches.ts';
import {
  type Combination,
  type FoundCombination,
  type IsOther,
  inSamePlace,
  isOtherColumn,
  isRemainder,
  mayHoldDecimals,
  type ValueCombination,
  withCombinations,
  withValues,
  writtenValues,
} from './decimal-combinations.ts';
import { kernelParameters } from './infer-parameters.ts';
import { describedAlone, type QueryAlone, queriesIn } from './query-alone.ts';

/** The two forms of a statement: see `BindableQuery`. */
interface StatementForms {
  readonly bound: Statement;
  readonly running: Statement;
}

/** Returns a combination, of either form of the statement, with casts of its values. */
type Change = (combination: Combination) => Combination;

/** The greatest number of digits of a decimal. */
const MAX_DIGITS = 38;

/** Each change takes one more description of the statement, so statements that need more changes are refused. */
const MAX_CHANGES = 100;

/**
 * Casts decimals that take one type, if the type that the kernel gives them has fewer decimals than one of them: it keeps room
 * for all digits before the point, and rounds the others away without an error:
 *     SELECT 1::numeric(38, 0) UNION ALL SELECT 2.345::numeric(12, 3)   -- 1, 2
 * With the casts all decimals are kept, and a value with too many digits before the point is an error. The remainder of such
 * decimals, which the kernel computes in floating point, is exact as well. Set operations that use
 * columns of an outer query stay as they are.
 */
export async function exactDecimals(
  forms: StatementForms,
  binder: BindingSession,
  placement: Placement,
): Promise<StatementForms> {
  let { bound, running } = forms;
  if (!mayHoldDecimals(bound, placement)) return forms;
  // A change gives other types to the values of the combinations around it, so the types are asked again after each.
  for (let round = 0; round <= MAX_CHANGES; round++) {
    const changes = await firstChanges(bound, binder, isOtherColumn(bound, placement));
    if (changes.size === 0) return { bound, running };
    const inRunning = new Map<Combination, Change>();
    for (const [node, change] of changes) {
      const twin = inSamePlace(bound, running, node);
      if (twin === undefined) return { bound, running };
      inRunning.set(twin, change);
    }
    const isOne = running === bound;
    bound = changed(bound, changes);
    running = isOne ? bound : changed(running, inRunning);
  }
  const what = `A statement that combines decimals of 38 digits with others in more than ${MAX_CHANGES} places without casts`;
  return fail('NOT_SUPPORTED', { what });
}

type Changes = ReadonlyMap<Combination, Change>;

/** The change of the first combination that loses decimals, and of those that are equal to it, in the innermost query that has one. */
async function firstChanges(bound: Statement, binder: BindingSession, isOther: IsOther): Promise<Changes> {
  const ofValues = await changesOfValues(bound, binder, isOther);
  const queries = queriesIn(bound, isQueryNode);
  const parts = new Set(queries.flatMap(({ node }) => (isSetOperation(node) ? partsOf(node) : [])));
  for (const { node, ctes } of queries) {
    const found = ofValues.get(node);
    if (found !== undefined) return found;
    const change =
      isSetOperation(node) && !parts.has(node) ? await changeOfSet({ node, ctes }, binder) : undefined;
    if (change !== undefined) return new Map([[node as SetOperationNode, change]]);
  }
  return new Map();
}

function changed(statement: Statement, changes: Changes): Statement {
  const change = <T extends Expression | TableRef | QueryNode>(node: T): T => {
    const combination = node as unknown as Combination;
    return (changes.get(combination)?.(combination) as T | undefined) ?? node;
  };
  return transformTree(statement, { expression: change, tableRef: change, queryNode: change });
}

/**
 * The changes of VALUES or of the first expression that loses decimals, and of those equal to it, by query. The kernel tells the
 * types of their values as those of parameters: `greatest(a, b)` is described as `greatest(nullif(a, $1), nullif(b, $2))`.
 */
async function changesOfValues(
  bound: Statement,
  binder: BindingSession,
  isOther: IsOther,
): Promise<ReadonlyMap<QueryNode, Changes>> {
  const parameters = new Map<string, string>();
  const queries = new Map<QueryNode, number>();
  const types = new Map<string, KernelType>();
  const found: (FoundCombination & { readonly names: readonly string[] })[] = [];
  for (let asked = 0; asked < MAX_PROBES; asked++) {
    found.length = 0;
    const statement = withCombinations(bound, isOther, (combination, withInner) => {
      const { node, query, values } = combination;
      const number = queries.get(query) ?? queries.size;
      queries.set(query, number);
      const names: string[] = [];
      const plain = writtenValues(node);
      const places = new Set(values.map(({ index }) => index));
      const isRepeated =
        query.modifiers.length > 0 || (query.type === 'SELECT_NODE' && query.group_expressions.length > 0);
      const probed = withValues(withInner, (value, index) => {
        if (!places.has(index)) return value;
        // One parameter for one text, so that an expression stays equal to the same one in GROUP BY or ORDER BY.
        const text = isRepeated ? `${number} ${spelling(plain[index]!)}` : `${found.length} ${index}`;
        const name = parameters.get(text) ?? `tsr_decimal_${parameters.size}`;
        parameters.set(text, name);
        names.push(name);
        const written = decimalOfCast(value);
        if (written !== undefined) types.set(name, written);
        if (types.has(name)) return value;
        return { ...probe({ ...value, alias: '' }, name, value === plain[index]), alias: value.alias };
      });
      found.push({ ...combination, names });
      return probed;
    });
    if (parameters.size === types.size || parameters.size - types.size > MAX_PARAMETERS) break;
    const known = types.size;
    const more = await kernelParameters(binder, statement).catch((error: unknown) => {
      if (!(error instanceof TesseraError) || error.retry !== 'never') throw error;
    });
    for (const [name, type] of more ?? []) types.set(name, type);
    if (types.size === known) break;
  }
  const inexact = found.flatMap(({ node, query, values, names }) => {
    const groups = values.map(({ group }) => group);
    const casts = castsOf(
      names.map((name) => (isRemainder(node) ? asDecimal(types.get(name)) : types.get(name))),
      groups,
    );
    if (casts.every((type) => type === undefined)) return [];
    const byIndex = new Map(values.map(({ index }, i) => [index, casts[i]]));
    const change: Change = (combination) =>
      withValues(combination as ValueCombination, (value, index) => casted(value, byIndex.get(index)));
    return { node, query, change };
  });
  return new Map(
    [...Map.groupBy(inexact, ({ query }) => query)].map(([query, ofQuery]) => {
      const { node: first } = ofQuery.find(({ node }) => isTableRef(node)) ?? ofQuery[0]!;
      const isFirst = (node: ValueCombination) =>
        isTableRef(first) || isTableRef(node) ? node === first : spelling(node) === spelling(first);
      return [query, new Map(ofQuery.flatMap(({ node, change }) => (isFirst(node) ? [[node, change]] : [])))];
    }),
  );
}

/** Parameters without a type keep the kernel from finding those of others, which are asked again without those that are known. */
const MAX_PROBES = 4;

/** If more values than this have a type that their text does not tell, their types stay unknown. */
const MAX_PARAMETERS = 1_000;

/** The type of a value that is a cast to a decimal. */
function decimalOfCast(value: Expression): KernelType | undefined {
  const info = value.class === 'CAST' ? value.cast_type.type_info : undefined;
  return info?.type === 'DECIMAL_TYPE_INFO'
    ? { id: 'DECIMAL', width: info.width, scale: info.scale }
    : undefined;
}

/**
 * A form of a value that gives a parameter its type. That of `nullif`, which contains the value twice, also has the value's type
 * for the calls around it.
 */
const probe = (value: Expression, identifier: string, isSmall: boolean): Expression => {
  const parameter: Expression = {
    class: 'PARAMETER',
    type: 'VALUE_PARAMETER',
    identifier,
    alias: '',
    query_location: NO_LOCATION,
  };
  return isSmall ? call('nullif', value, parameter) : operator('OPERATOR_COALESCE', value, parameter);
};

const casted = (value: Expression, type: TypeNode | undefined): Expression =>
  type === undefined ? value : { ...cast({ ...value, alias: '' }, type), alias: value.alias };

const INTEGER_DIGITS: Partial<Record<KernelType['id'], number>> = {
  TINYINT: 3,
  SMALLINT: 5,
  INTEGER: 10,
  BIGINT: 19,
  HUGEINT: MAX_DIGITS,
};

/** The decimal type that holds all values of an integer type. Other types are returned as they are. */
function asDecimal(type: KernelType | undefined): KernelType | undefined {
  const width = type && INTEGER_DIGITS[type.id];
  return width === undefined ? type : { id: 'DECIMAL', width, scale: 0 };
}

/** The types that values must be cast to: undefined for those that need no cast. */
function castsOf(
  types: readonly (KernelType | undefined)[],
  groups: readonly number[],
): readonly (TypeNode | undefined)[] {
  const elements = types.map((type, i) => ({ type: elementOf(type), group: groups[i]! }));
  const byGroup = Map.groupBy(elements, ({ group }) => group);
  const scales = new Map(
    [...byGroup].map(([group, ofGroup]) => [group, keptScale(ofGroup.map(({ type }) => type))]),
  );
  return types.map((type, i) => {
    const scale = scales.get(groups[i]!);
    return type === undefined || scale === undefined ? undefined : withScale(type, scale);
  });
}

/**
 * The number of decimals that values of these types have together, if the kernel would keep fewer; undefined if it keeps all, or
 * gives the values a type that is no decimal.
 */
function keptScale(types: readonly (KernelType | undefined)[]): number | undefined {
  let scale = 0;
  let before = 0;
  for (const type of types) {
    if (type?.id === 'DECIMAL') {
      scale = Math.max(scale, type.scale);
      before = Math.max(before, type.width - type.scale);
    } else if (type?.id === 'DOUBLE' || type?.id === 'FLOAT' || type?.id === 'VARCHAR') return undefined;
  }
  return before + scale > MAX_DIGITS ? scale : undefined;
}

/** The type of the elements of an array, or of the elements of its elements. Other types are returned as they are. */
function elementOf(type: KernelType | undefined): KernelType | undefined {
  return type?.id === 'LIST' ? elementOf(type.child) : type;
}

/** The type with 38 digits and the scale, or the array of it; undefined if a value of the type needs no cast. */
function withScale(type: KernelType, scale: number): TypeNode | undefined {
  if (type.id === 'LIST') {
    const child_type = withScale(type.child, scale);
    return child_type && listOf(child_type);
  }
  if (type.id !== 'DECIMAL' || (type.width === MAX_DIGITS && type.scale === scale)) return undefined;
  return decimalNode(MAX_DIGITS, scale);
}

// Set operations

const partsOf = ({ children, left, right }: SetOperationNode): readonly QueryNode[] =>
  children ?? [left, right];

/** Casts the columns of the queries of a set operation; undefined if it keeps all decimals. */
async function changeOfSet(
  { node, ctes }: QueryAlone<SetOperationNode>,
  binder: BindingSession,
): Promise<Change | undefined> {
  const columns = await describedAlone({ ...node, modifiers: [] }, ctes, binder);
  const isWide = columns?.some(({ type }) => {
    const element = elementOf(type);
    return element?.id === 'DECIMAL' && element.width === MAX_DIGITS;
  });
  if (isWide !== true) return undefined;
  const described: (readonly KernelColumn[])[] = [];
  for (const branch of branchesOf(node)) {
    const own = branch.cte_map.map;
    const outer = ctes.filter(({ key }) => !own.some((cte) => isSameName(cte.key, key)));
    const ofBranch = await describedAlone(branch, [...outer, ...own], binder);
    if (ofBranch === undefined) return undefined;
    described.push(ofBranch);
  }
  const byName = node.setop_type === 'UNION_BY_NAME';
  const names = new Map(columns!.map(({ name }, i) => [name.toLowerCase(), i]));
  const groupOf = (name: string, i: number) => (byName ? names.get(name.toLowerCase())! : i);
  const types = described.flatMap((ofBranch) => ofBranch.map(({ type }) => type));
  const groups = described.flatMap((ofBranch) => ofBranch.map(({ name }, i) => groupOf(name, i)));
  const casts = castsOf(types, groups);
  if (casts.every((type) => type === undefined)) return undefined;
  return (combination) => {
    let branch = 0;
    let first = 0;
    return withBranches(combination as SetOperationNode, (query) => {
      const ofBranch = described[branch++]!;
      const ofColumns = casts.slice(first, first + ofBranch.length);
      first += ofBranch.length;
      if (ofColumns.every((type) => type === undefined)) return query;
      const names = ofBranch.map((_, i) => `tsr_${i + 1}`);
      const from: TableRef = {
        type: 'SUBQUERY',
        alias: ROWS,
        sample: null,
        query_location: NO_LOCATION,
        subquery: { node: query, named_param_map: [] },
        column_name_alias: names,
      };
      const select_list = ofBranch.map(({ name: alias }, i) => ({
        ...casted(column(ROWS, names[i]!), ofColumns[i]),
        alias,
      }));
      return { ...selectAll(from), select_list };
    });
  };
}

/** The rows of a query of a set operation. */
const ROWS = 'tsr_rows';
