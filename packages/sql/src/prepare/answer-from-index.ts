import { isSameName } from '@tessera/common';
import {
  and,
  call,
  cast,
  column,
  constant,
  type Expression,
  type FunctionNode,
  isExpression,
  isQueryNode,
  operator,
  type ResultModifier,
  type SelectNode,
  selectAll,
  type TableRef,
  type TypeNode,
  unionAll,
  visitChildren,
  walkTree,
} from '../tree.ts';
import { normalText } from './index-expressions.ts';
import {
  countOfEntries,
  entriesOf,
  type IndexShape,
  type IndexState,
  isCountOfRows,
  managedRef,
  partialsOfRows,
  SELF_MERGING,
} from './index-shape.ts';

/** Where a query finds the partial rows of an index. */
export interface IndexRows {
  /** The bound name of the partial rows. */
  readonly partials: string;
  /** The bound name of the table's rows that no partial row summarises; undefined if there are none. */
  readonly rest: string | undefined;
}

/** A table in FROM, with an index of it that may answer the query. */
export interface IndexedRef {
  readonly boundName: string;
  readonly columns: readonly { readonly name: string; readonly nullable: boolean }[];
  readonly shape: IndexShape;
  /** The names of all aggregate functions. */
  readonly aggregates: ReadonlySet<string>;
}

/** The reason why an index cannot answer a query. */
export class NotAnswered extends Error {}

/**
 * Rewrites a query that aggregates to one over partial rows:
 *
 *     SELECT day, sum(price), count(*) FROM sales WHERE day > '2024-01-01' GROUP BY day
 *  →  SELECT day, CAST(sum("$sum_1") AS HUGEINT), CAST(coalesce(sum("$rows"), 0) AS BIGINT)
 *     FROM (SELECT k1 AS day, rows AS "$rows", sum_1 AS "$sum_1" FROM partials
 *           UNION ALL SELECT day, count(*), sum(price) FROM rest GROUP BY day) AS sales
 *     WHERE day > '2024-01-01' GROUP BY day
 *
 * A partial row stands for all rows of a group of one tablet, so everything outside aggregates may depend on the keys alone. A
 * join multiplies it as it multiplies these rows, unless it is the side that a join may fill with NULLs.
 * @throws NotAnswered with the reason if the index does not have what the query needs
 */
export function answerFromIndex(node: SelectNode, ref: IndexedRef, rows: IndexRows): SelectNode {
  const place = placeIn(node.from_table, ref.boundName);
  return new Answer(ref, place.alias).of(node, (from) =>
    replaced(from, place.ref, sourceOf(ref, rows, place)),
  );
}

/** Whether the query groups rows, so that an index could answer it. */
export function isGrouping(node: SelectNode, aggregates: ReadonlySet<string>): boolean {
  if (node.sample !== null && node.sample !== undefined) return false;
  if (node.group_expressions.length > 0 || node.group_sets.length > 0) return true;
  if (node.aggregate_handling === 'FORCE_AGGREGATES') return true;
  let found = false;
  const search = (value: unknown): void => {
    if (found || value === null || typeof value !== 'object' || isQueryNode(value)) return;
    if (
      isExpression(value) &&
      value.class === 'FUNCTION' &&
      aggregates.has(value.function_name.toLowerCase())
    )
      found = true;
    else visitChildren(value, search);
  };
  search([node.select_list, node.having]);
  return found;
}

interface Place {
  readonly ref: TableRef;
  readonly alias: string;
}

/** The only reference to the table in FROM whose rows joins keep as they are. */
function placeIn(from: TableRef, boundName: string): Place {
  const found: Place[] = [];
  const search = (ref: TableRef, isKept: boolean): void => {
    if (ref.type === 'JOIN') {
      if (ref.ref_type !== 'REGULAR' && ref.ref_type !== 'CROSS') {
        throw new NotAnswered(`the query has a ${ref.ref_type} join`);
      }
      const { join_type: type } = ref;
      search(ref.left, isKept && ['INNER', 'LEFT', 'SEMI', 'ANTI'].includes(type));
      search(ref.right, isKept && ['INNER', 'RIGHT'].includes(type));
    } else if (ref.type === 'BASE_TABLE' && ref.schema_name === 'managed' && ref.table_name === boundName) {
      if (!isKept) throw new NotAnswered('an outer join may fill the columns of the table with NULL');
      if (ref.sample !== null || ref.alias === '')
        throw new NotAnswered('the query reads a sample of the table');
      found.push({ ref, alias: ref.alias });
    }
  };
  search(from, true);
  const [place] = found;
  if (place === undefined) throw new NotAnswered('the table is not in this FROM');
  return place;
}

function replaced(from: TableRef, ref: TableRef, by: TableRef): TableRef {
  if (from === ref) return by;
  if (from.type !== 'JOIN') return from;
  return { ...from, left: replaced(from.left, ref, by), right: replaced(from.right, ref, by) };
}

/** The name of a key in the rewritten query: that of its column if it is one, so that the query finds it. */
const keyName = ({ columns, shape }: IndexedRef, at: number): string =>
  plainColumn(columns, shape.keys[at]!.expression) ?? `$${shape.keys[at]!.column}`;

const stateName = (state: IndexState): string => `$${state.column}`;

function plainColumn(columns: IndexedRef['columns'], expression: Expression): string | undefined {
  if (expression.class !== 'COLUMN_REF' || expression.column_names.length !== 1) return undefined;
  const name = expression.column_names[0]!.toLowerCase();
  return columns.find((one) => one.name.toLowerCase() === name)?.name;
}

function sourceOf(ref: IndexedRef, { partials, rest }: IndexRows, { alias, ref: at }: Place): TableRef {
  const { keys, states } = ref.shape;
  const names = [...keys.map((_, i) => keyName(ref, i)), ...states.map(stateName)];
  const stored = [...keys, ...states].map((one, i) => ({ ...column(one.column), alias: names[i]! }));
  const ofPartials: SelectNode = { ...selectAll(managedRef(partials)), select_list: stored };
  const node = rest === undefined ? ofPartials : unionAll(ofPartials, partialsOfRows(ref.shape, rest));
  return {
    type: 'SUBQUERY',
    alias,
    sample: null,
    query_location: at.query_location,
    subquery: { node, named_param_map: [] },
    column_name_alias: [],
  };
}

class Answer {
  readonly #ref: IndexedRef;
  readonly #alias: string;
  readonly #keys: ReadonlyMap<string, string>;
  readonly #states: ReadonlyMap<string, IndexState>;
  readonly #columns: ReadonlySet<string>;

  constructor(ref: IndexedRef, alias: string) {
    this.#ref = ref;
    this.#alias = alias;
    this.#keys = new Map(
      ref.shape.keys.map(({ expression }, i) => [normalText(expression), keyName(ref, i)]),
    );
    this.#states = new Map(ref.shape.states.map((state) => [normalText(state.call), state]));
    this.#columns = new Set(ref.columns.map(({ name }) => name.toLowerCase()));
  }

  of(node: SelectNode, from: (ref: TableRef) => TableRef): SelectNode {
    const { from_table, cte_map, modifiers, ...parts } = node;
    const conditions = this.#joins(from_table);
    const rewritten = this.#fields(parts);
    const items = new Set(node.select_list.map(({ alias }) => alias.toLowerCase()));
    return {
      ...rewritten,
      modifiers: modifiers.map((modifier) => this.#modifier(modifier, items)),
      cte_map,
      from_table: from(conditions),
    };
  }

  /** `ORDER BY name` means the item of the select list, if one has that name. */
  #modifier(modifier: ResultModifier, items: ReadonlySet<string>): ResultModifier {
    if (modifier.type !== 'ORDER_MODIFIER') return this.#fields(modifier);
    const orders = modifier.orders.map((order) => {
      const { expression: key } = order;
      const isItem =
        key.class === 'COLUMN_REF' &&
        key.column_names.length === 1 &&
        items.has(key.column_names[0]!.toLowerCase());
      return isItem ? order : { ...order, expression: this.#expression(key) };
    });
    return { ...modifier, orders };
  }

  /** FROM with its conditions over keys; tables stay the same objects. */
  #joins(ref: TableRef): TableRef {
    if (ref.type === 'SUBQUERY' || ref.type === 'TABLE_FUNCTION') this.#checkInside(ref);
    if (ref.type !== 'JOIN') return ref;
    for (const name of ref.using_columns) this.#checkColumn(name);
    return {
      ...ref,
      left: this.#joins(ref.left),
      right: this.#joins(ref.right),
      condition: ref.condition && this.#expression(ref.condition),
    };
  }

  #rewritten(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#rewritten(item));
    if (value === null || typeof value !== 'object') return value;
    if (isExpression(value)) return this.#expression(value);
    return this.#fields(value);
  }

  #fields<T extends object>(value: T): T {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.#rewritten(item)])) as T;
  }

  #expression(node: Expression): Expression {
    const { alias } = node;
    const key = this.#keys.get(normalText(node, this.#alias));
    if (key !== undefined) return node.class === 'COLUMN_REF' ? node : { ...column(this.#alias, key), alias };
    switch (node.class) {
      case 'COLUMN_REF':
        this.#checkReference(node.column_names);
        return node;
      case 'STAR':
      case 'POSITIONAL_REFERENCE':
        throw new NotAnswered('the query reads columns without naming them');
      case 'SUBQUERY':
        this.#checkInside(node.subquery);
        return { ...node, child: node.child && this.#expression(node.child) };
      case 'CONSTANT':
        return node;
      case 'FUNCTION':
        if (this.#ref.aggregates.has(node.function_name.toLowerCase()))
          return { ...this.#aggregate(node), alias };
    }
    return this.#fields(node);
  }

  #checkReference(names: readonly string[]): void {
    const [first = '', second] = names;
    const isQualified = second !== undefined && isSameName(first, this.#alias);
    this.#checkColumn(isQualified ? second : first);
  }

  /** A name that is no column of the table is one of another relation, or an alias. */
  #checkColumn(name: string): void {
    const isKey = [...this.#keys.values()].some((key) => isSameName(key, name));
    if (this.#columns.has(name.toLowerCase()) && !isKey)
      throw new NotAnswered(`column "${name}" is not one of its keys`);
  }

  /** Queries inside the query are left as they are, so they may refer to the table by plain keys alone. */
  #checkInside(inner: unknown): void {
    walkTree(inner, (node) => {
      if ('class' in node && node.class === 'COLUMN_REF') this.#checkReference(node.column_names);
    });
  }

  #aggregate(node: FunctionNode): Expression {
    if (node.order_bys.orders.length > 0) return this.#ofKeys(node);
    const whole = this.#merged(node, undefined);
    if (whole !== undefined) return whole;
    if (node.filter === null) return this.#ofKeys(node);
    const filter = this.#expression(node.filter);
    return this.#merged({ ...node, filter: null }, filter) ?? this.#ofKeys(node);
  }

  /** The aggregate from its states; undefined if the index does not have them. */
  #merged(node: FunctionNode, filter: Expression | undefined): Expression | undefined {
    const name = node.function_name.toLowerCase();
    const [argument] = node.children;
    const sum = (state: IndexState, condition = filter) => this.#over('sum', state, condition);
    if (isCountOfRows(node)) {
      const state = this.#state({ ...call('count_star'), filter: node.filter });
      return state && counted(sum(state));
    }
    if (argument === undefined || node.children.length > 1) return undefined;
    if (SELF_MERGING.has(name) && !(node.distinct && name === 'bit_xor')) {
      const state = this.#state({ ...node, distinct: false });
      return state && this.#over(name, state, filter);
    }
    if (name === 'list' && node.distinct) {
      const state = this.#state(node);
      return state && call('flatten', this.#over('list', state, filter));
    }
    if (name === 'approx_count_distinct') {
      const state = this.#state(entriesOf(node));
      return state && countOfEntries(call('flatten', this.#over('list', state, filter)));
    }
    if (node.distinct) return undefined;
    const count = this.#state({ ...node, function_name: 'count' });
    if (name === 'count') {
      if (count !== undefined) return counted(sum(count));
      return node.filter === null ? this.#countOf(argument, filter) : undefined;
    }
    const total = this.#state({ ...node, function_name: 'sum' });
    if (total === undefined) return undefined;
    if (name === 'sum') return typedAs(sum(total), total.resultType);
    return name === 'avg' && count !== undefined ? average(total, sum(total), sum(count)) : undefined;
  }

  /** `count(x)` from the numbers of rows, if x is a key or never NULL. */
  #countOf(argument: Expression, filter: Expression | undefined): Expression | undefined {
    const rows = this.#ref.shape.states[0]!;
    const name = plainColumn(this.#ref.columns, unqualified(argument, this.#alias));
    const isKey = this.#keys.has(normalText(argument, this.#alias));
    const isNullable = this.#ref.columns.find((one) => one.name === name)?.nullable ?? true;
    if (!isNullable && name !== undefined) return counted(this.#over('sum', rows, filter));
    if (!isKey) return undefined;
    const isThere = operator('OPERATOR_IS_NOT_NULL', this.#expression(argument));
    return counted(this.#over('sum', rows, filter === undefined ? isThere : and(filter, isThere)));
  }

  #state(one: FunctionNode): IndexState | undefined {
    return this.#states.get(normalText(one, this.#alias));
  }

  #over(name: string, state: IndexState, filter: Expression | undefined): FunctionNode {
    return { ...call(name, column(this.#alias, stateName(state))), filter: filter ?? null };
  }

  /** An aggregate for which it does not matter how often a row occurs, over keys or columns of other relations. */
  #ofKeys(node: FunctionNode): Expression {
    const name = node.function_name.toLowerCase();
    if (!(node.distinct || IGNORES_REPETITION.has(name)))
      throw new NotAnswered(`it has no aggregate for ${shown(node)}`);
    try {
      return this.#fields(node);
    } catch (error) {
      if (error instanceof NotAnswered) throw new NotAnswered(`it has no aggregate for ${shown(node)}`);
      throw error;
    }
  }
}

/** Aggregates that return the same value if rows are repeated. */
const IGNORES_REPETITION: ReadonlySet<string> = new Set([
  'min',
  'max',
  'bool_and',
  'bool_or',
  'bit_and',
  'bit_or',
  'approx_count_distinct',
]);

const shown = ({ function_name, distinct, children: [first] }: FunctionNode): string => {
  const name = function_name.toLowerCase() === 'count_star' ? 'count' : function_name.toLowerCase();
  const argument =
    first?.class === 'COLUMN_REF' ? first.column_names.at(-1)! : first === undefined ? '*' : '…';
  return `${name}(${distinct ? 'DISTINCT ' : ''}${argument})`;
};

const counted = (sum: Expression): Expression =>
  cast(operator('OPERATOR_COALESCE', sum, constant(0)), 'BIGINT');

const unqualified = (node: Expression, alias: string): Expression =>
  node.class === 'COLUMN_REF' && node.column_names.length === 2 && isSameName(node.column_names[0]!, alias)
    ? { ...node, column_names: node.column_names.slice(1) }
    : node;

/** A cast to one of the types that sums have. */
function typedAs(value: Expression, type: string): Expression {
  const decimal = /^DECIMAL\((\d+),(\d+)\)$/.exec(type);
  if (decimal === null) return cast(value, type);
  const node: TypeNode = {
    id: 'DECIMAL',
    type_info: {
      type: 'DECIMAL_TYPE_INFO',
      alias: '',
      extension_info: null,
      width: Number(decimal[1]),
      scale: Number(decimal[2]),
    },
  };
  return cast(value, node);
}

/** For these types, and for DECIMAL up to this precision, the kernel's `avg` divides doubles. */
const SHORT: ReadonlySet<string> = new Set(['TINYINT', 'UTINYINT', 'SMALLINT']);
const SHORT_DIGITS = 4;
/** A count times 10 to at most this power fits into a HUGEINT. */
const MAX_EXACT_SCALE = 19;

/** The quotient that the kernel's `avg` returns for the same rows, to the last bit where sums are exact. */
function average({ resultType, argument }: IndexState, sum: Expression, count: Expression): Expression {
  const divided = (a: Expression, b: Expression) => ({ ...call('/', a, b), is_operator: true });
  const amount = cast(count, 'HUGEINT');
  if (resultType === 'DOUBLE') return divided(sum, call('nullif', cast(amount, 'DOUBLE'), constant(0)));
  const scale = argument?.id === 'DECIMAL' ? argument.scale : 0;
  const isShort = argument?.id === 'DECIMAL' ? argument.width <= SHORT_DIGITS : SHORT.has(argument?.id ?? '');
  const digits = scale === 0 ? sum : call('replace', cast(sum, 'VARCHAR'), constant('.'), constant(''));
  const total = cast(digits, 'HUGEINT');
  const unit = `1${'0'.repeat(scale)}`;
  if (!isShort && scale <= MAX_EXACT_SCALE) {
    const scaled = { ...call('*', amount, cast(constant(unit), 'HUGEINT')), is_operator: true };
    return call('tsr_average', total, scaled);
  }
  const scaled = { ...call('*', cast(amount, 'DOUBLE'), cast(constant(unit), 'DOUBLE')), is_operator: true };
  return divided(cast(total, 'DOUBLE'), call('nullif', scaled, constant(0)));
}
