import type { PlanExpression, PlanType } from '../../plan-nodes.ts';
import type {
  AggregateRelation,
  FilterRelation,
  InputRelation,
  JoinRelation,
  LimitRelation,
  Relation,
} from '../../relational/relation.ts';
import type { PlanFacts } from '../plan-facts.ts';
import { addReferences, plainReference } from '../tree/expressions.ts';
import {
  distinctAmong,
  type JoinKey,
  matchingPairs,
  notNull,
  sharesOf,
  type TableColumn,
} from './common-values.ts';
import { all, type ColumnFacts, selectivity } from './selectivity.ts';
import { rowWidth, usualWidth } from './width.ts';

/** Estimated size of a relation. */
export interface Estimate {
  readonly rows: number;
  /** The estimated size in memory, in bytes. */
  readonly bytes: number;
  /** The number of distinct values of each column. */
  readonly distinct: readonly number[];
  /** Number of distinct values of each column without the conditions that leave out rows. */
  readonly domains: readonly number[];
  /** Where the values of each column come from, if they occur about as often as in their table. */
  readonly tableColumns: readonly (TableColumn | undefined)[];
  /** The number of rows follows from counts, not from assumptions about predicates. */
  readonly isCertain: boolean;
}

/** An estimate before its limits; domains are as large as `distinct` unless they are given. */
type Guess = Pick<Estimate, 'rows' | 'distinct' | 'isCertain'> &
  Partial<Pick<Estimate, 'domains' | 'tableColumns'>>;

/** Memoised estimates of the relations of one plan. */
export class Estimates {
  private readonly facts: PlanFacts;
  private readonly made = new Map<Relation, Estimate>();
  private readonly shared = new Map<number, Relation>();

  constructor(facts: PlanFacts) {
    this.facts = facts;
  }

  /** Replaces the estimate of a relation by its actual size. */
  record(relation: Relation, { rows, bytes }: { readonly rows: number; readonly bytes: number }): void {
    const guessed = this.of(relation);
    const distinct = guessed.distinct.map((d) => Math.min(d, Math.max(1, rows)));
    this.made.set(relation, { ...guessed, rows, bytes, distinct, isCertain: true });
  }

  /** Registers the definition of a shared relation. */
  share(id: number, definition: Relation): void {
    this.shared.set(id, definition);
  }

  /** Takes the estimate of a stage for the relation that reads its output. */
  set(
    relation: InputRelation,
    { rows, bytes, distinct, tableColumns }: Pick<Estimate, 'rows' | 'bytes' | 'distinct' | 'tableColumns'>,
  ): void {
    this.made.set(relation, { rows, bytes, distinct, domains: distinct, tableColumns, isCertain: false });
  }

  of(relation: Relation): Estimate {
    const known = this.made.get(relation);
    if (known !== undefined) return known;
    const { rows, distinct: values, domains = values, tableColumns = [], isCertain } = this.make(relation);
    const atLeastOne = Math.max(1, rows);
    const distinct = relation.columns.map((_, i) =>
      Math.max(1, Math.min(values[i] ?? atLeastOne, atLeastOne)),
    );
    const estimate: Estimate = {
      rows,
      bytes: Math.ceil(atLeastOne * rowWidth(relation.columns)),
      distinct,
      domains: distinct.map((now, i) => Math.max(now, domains[i] ?? now)),
      tableColumns,
      isCertain,
    };
    this.made.set(relation, estimate);
    return estimate;
  }

  private make(relation: Relation): Guess {
    switch (relation.kind) {
      case 'scan': {
        const table = this.facts.tables.get(relation.relation);
        const rows = table?.rows ?? 1000;
        // For files outside the managed store, only sizes are known.
        const areBoundsKnown = table !== undefined && table.external === undefined;
        return {
          rows,
          distinct: relation.names.map(
            (name, i) =>
              table?.distinct.get(name) ?? guessedDistinct(rows, relation.columns[i]!.type, areBoundsKnown),
          ),
          tableColumns:
            table?.values === undefined ? [] : relation.names.map((name) => ({ facts: table, name })),
          isCertain: table !== undefined,
        };
      }
      case 'session':
        return { rows: 10_000, distinct: relation.columns.map(() => 1000), isCertain: false };
      case 'input':
        return { rows: 1000, distinct: [], isCertain: false };
      case 'values':
        return { rows: relation.rows.length, distinct: [], isCertain: true };
      case 'function': {
        const each = relation.input === undefined ? 1 : this.of(relation.input).rows;
        return { rows: each * 1000, distinct: [], isCertain: false };
      }
      case 'filter': {
        const input = this.of(relation.input);
        const share = all(relation.predicates.map((p) => selectivity(p, input)));
        return { ...scaled(input, share), tableColumns: untested(input, relation), isCertain: false };
      }
      case 'project': {
        const input = this.of(relation.input);
        return {
          ...input,
          distinct: relation.expressions.map((e) => expressionDistinct(e, input)),
          domains: relation.expressions.map((e) => domainOf(e, input) ?? 1),
          tableColumns: relation.expressions.map((e) => tableColumnOf(e, input)),
        };
      }
      case 'join':
        return this.join(relation);
      case 'positional_join': {
        const [left, right] = [this.of(relation.left), this.of(relation.right)];
        return {
          rows: Math.max(left.rows, right.rows),
          distinct: [...left.distinct, ...right.distinct],
          isCertain: false,
        };
      }
      case 'aggregate':
        return this.aggregate(relation);
      case 'distinct': {
        const input = this.of(relation.input);
        const keys =
          relation.on?.map((e) => keyDistinct(e, input)) ??
          input.distinct.map((values, i) =>
            distinctAmong(sharesOf(input.tableColumns[i]), values, input.rows),
          );
        return { ...input, rows: groupCount(keys, input.rows), tableColumns: [], isCertain: false };
      }
      case 'window': {
        const input = this.of(relation.input);
        const own = relation.windows.map(() => input.rows / 2);
        return {
          ...input,
          distinct: [...input.distinct, ...own],
          domains: [...input.domains, ...own],
        };
      }
      case 'sort':
        return this.of(relation.input);
      case 'limit': {
        const input = this.of(relation.input);
        const most = limitRows(relation);
        return most === undefined || most >= input.rows
          ? input
          : { ...scaled(input, most / Math.max(1, input.rows)), rows: most, isCertain: true };
      }
      case 'sample': {
        const percent = /^\s*([\d.]+)\s*(?:%|PERCENT)/i.exec(relation.sql);
        const input = this.of(relation.input);
        return percent === null ? { ...input, isCertain: false } : scaled(input, Number(percent[1]) / 100);
      }
      case 'set': {
        const inputs = relation.inputs.map((input) => this.of(input));
        const rows = inputs.reduce((sum, input) => sum + input.rows, 0);
        const distinct = relation.columns.map((_, i) =>
          Math.max(...inputs.map((input) => input.distinct[i] ?? 1)),
        );
        const isCertain = inputs.every((input) => input.isCertain);
        if (relation.operation === 'union' && relation.isAll) return { rows, distinct, isCertain };
        const most = relation.operation === 'union' ? rows : (inputs[0]?.rows ?? 0);
        return { rows: groupCount(distinct, most), distinct, isCertain: false };
      }
      case 'unnest': {
        const input = this.of(relation.input);
        const rows = input.rows * 4;
        return {
          rows,
          distinct: [...input.distinct, ...relation.unnests.map(() => rows / 2)],
          isCertain: false,
        };
      }
      case 'shared':
        this.share(relation.id, relation.definition);
        return this.of(relation.body);
      case 'reference': {
        const definition = this.shared.get(relation.id);
        return definition === undefined
          ? { rows: 1000, distinct: [], isCertain: false }
          : this.of(definition);
      }
      case 'recursive': {
        const anchor = this.of(relation.anchor);
        return { ...anchor, rows: anchor.rows * 20, tableColumns: [], isCertain: false };
      }
    }
  }

  private join(join: JoinRelation): Guess {
    const [left, right] = [this.of(join.left), this.of(join.right)];
    const both = [...left.distinct, ...right.distinct];
    const domains = [...left.domains, ...right.domains];
    const [leftColumns, rightColumns] = [columnsOf(left), columnsOf(right)];
    const bothColumns = [...leftColumns, ...rightColumns];
    const { pairs, matchedLeft, matchedRight } = matches(join, left, right, {
      distinct: both,
      tableColumns: bothColumns,
    });
    const isCertain = false;
    switch (join.type) {
      case 'inner':
        return { rows: pairs, distinct: both, domains, tableColumns: bothColumns, isCertain };
      case 'left':
        return {
          rows: Math.max(left.rows, pairs),
          distinct: both,
          domains,
          tableColumns: leftColumns,
          isCertain,
        };
      case 'right':
        return {
          rows: Math.max(right.rows, pairs),
          distinct: both,
          domains,
          tableColumns: [...leftColumns.map(() => undefined), ...rightColumns],
          isCertain,
        };
      case 'full':
        return { rows: Math.max(left.rows + right.rows * 0.2, pairs), distinct: both, isCertain };
      case 'semi':
        return scaled(left, Math.max(0.01, matchedLeft));
      case 'anti':
        return scaled(left, Math.max(0.1, 1 - matchedLeft));
      case 'right_semi':
        return scaled(right, Math.max(0.01, matchedRight));
      case 'right_anti':
        return scaled(right, Math.max(0.1, 1 - matchedRight));
      case 'mark':
        return { ...left, distinct: [...left.distinct, 2], domains: [...left.domains, 2] };
      case 'single':
        return { ...left, distinct: both, domains };
    }
  }

  private aggregate({ input, groups, groupingSets, aggregates, groupingCalls }: AggregateRelation): Guess {
    const below = this.of(input);
    const keys = groups.map((e) => keyDistinct(e, below));
    const rows = groupingSets.reduce(
      (sum, set) =>
        sum +
        groupCount(
          set.map((i) => keys[i] ?? 1),
          below.rows,
        ),
      0,
    );
    const others = [
      // Counts of different groups are often equal.
      ...aggregates.map(({ name = '' }) => (name.startsWith('count') ? Math.sqrt(rows) : rows)),
      ...groupingCalls.map(() => 2),
    ];
    return {
      rows: Math.max(rows, groups.length === 0 ? 1 : 0),
      domains: [...groups.map((e, i) => domainOf(e, below) ?? keys[i]!), ...others],
      distinct: [...keys, ...others],
      isCertain: groups.length === 0,
    };
  }
}

/** The number of pairs of rows that a join matches, and the shares of the rows of both sides that have a match. */
function matches(
  join: JoinRelation,
  left: Estimate,
  right: Estimate,
  both: ColumnFacts,
): { readonly pairs: number; readonly matchedLeft: number; readonly matchedRight: number } {
  const equal = join.conditions.filter(({ comparison }) => /^(?:=|IS NOT DISTINCT FROM)$/.test(comparison));
  const other = join.conditions.length - equal.length + join.residual.length;
  const leftKeys = groupCount(
    equal.map((c) => expressionDistinct(c.left, left)),
    left.rows,
  );
  const rightKeys = groupCount(
    equal.map((c) => expressionDistinct(c.right, right)),
    right.rows,
  );
  const rest = all([
    ...join.residual.map((e) => selectivity(e, both)),
    ...join.conditions.slice(0, other - join.residual.length).map(() => 0.3),
  ]);
  // A side whose rows were filtered by something else has lost keys that the other side may have.
  const [only, ...others] = equal;
  const isOne = only !== undefined && others.length === 0;
  const leftDomain = (isOne ? domainOf(only.left, left) : undefined) ?? leftKeys;
  const rightDomain = (isOne ? domainOf(only.right, right) : undefined) ?? rightKeys;
  // NULL meets nothing but with IS NOT DISTINCT FROM.
  const isPlain = isOne && only.comparison === '=';
  const leftKey: JoinKey = {
    distinct: Math.max(1, leftDomain),
    shares: isPlain ? sharesOf(tableColumnOf(only.left, left)) : undefined,
  };
  const rightKey: JoinKey = {
    distinct: Math.max(1, rightDomain),
    shares: isPlain ? sharesOf(tableColumnOf(only.right, right)) : undefined,
  };
  const met = equal.length === 0 ? 1 : matchingPairs(leftKey, rightKey);
  const least = Math.max(rest, 0.3);
  const matched = (own: number, others: number, domain: number, key: JoinKey) =>
    equal.length === 0 ? 0.5 : (others / Math.max(1, own, domain)) * notNull(key) * least;
  return {
    pairs: join.isAsof ? left.rows : left.rows * right.rows * met * rest,
    matchedLeft: matched(leftKeys, rightKeys, rightDomain, leftKey),
    matchedRight: matched(rightKeys, leftKeys, leftDomain, rightKey),
  };
}

/** The table columns by the positions of all columns of a relation. */
const columnsOf = ({ distinct, tableColumns }: Estimate): readonly (TableColumn | undefined)[] =>
  tableColumns.length === distinct.length ? tableColumns : distinct.map((_, i) => tableColumns[i]);

/** Expected number of distinct combinations of values among this number of rows. */
export function groupCount(distinct: readonly number[], rows: number): number {
  const combinations = [...distinct]
    .sort((a, b) => b - a)
    .reduce((product, d, i) => product * d ** (1 / Math.min(i + 1, 2)), 1);
  if (combinations >= rows) return rows;
  // The expected number of different combinations if each row draws one at random.
  return Math.max(Math.min(1, rows), combinations * -Math.expm1(-rows / combinations));
}

function scaled(input: Estimate, share: number): Guess {
  const rows = input.rows * share;
  return {
    rows,
    tableColumns: input.tableColumns,
    domains: input.domains,
    distinct: input.distinct.map((d) => Math.max(1, d * -Math.expm1((-share * input.rows) / Math.max(1, d)))),
    isCertain: false,
  };
}

/** The domain of the column that an expression is; undefined where it is not a column. */
function domainOf(expression: PlanExpression, input: Estimate): number | undefined {
  const index = plainReference(expression);
  return index === undefined ? undefined : input.domains[index];
}

/** The column of a table that an expression is; undefined where it is not a column with the values of a table. */
function tableColumnOf(expression: PlanExpression, { tableColumns }: Estimate): TableColumn | undefined {
  const index = plainReference(expression);
  return index === undefined ? undefined : tableColumns[index];
}

/** The table columns of the input of a filter without those that it tests, of which certain values are left. */
function untested(
  { tableColumns }: Estimate,
  { predicates }: FilterRelation,
): readonly (TableColumn | undefined)[] {
  if (tableColumns.length === 0) return tableColumns;
  const tested = new Set<number>();
  for (const predicate of predicates) addReferences(predicate, tested);
  return tableColumns.map((column, i) => (tested.has(i) ? undefined : column));
}

/** The number of groups by an expression, at most one for each row that has none of its common values. */
const keyDistinct = (expression: PlanExpression, input: Estimate): number =>
  distinctAmong(
    sharesOf(tableColumnOf(expression, input)),
    expressionDistinct(expression, input),
    input.rows,
  );

function expressionDistinct(expression: PlanExpression, input: Estimate): number {
  const index = plainReference(expression);
  if (index !== undefined) return input.distinct[index] ?? input.rows;
  if (expression.value !== undefined) return 1;
  if (expression.child !== undefined) return expressionDistinct(expression.child, input);
  const [first] = expression.children ?? [];
  return first === undefined ? Math.sqrt(input.rows) : Math.min(input.rows, expressionDistinct(first, input));
}

/**
 * A guess for a column of which nothing is known. Texts that are compared or grouped by are more often
 * categories than unique names.
 */
function guessedDistinct(rows: number, type: PlanType, isKnown: boolean): number {
  const width = usualWidth(type);
  if (width === 1) return 2;
  if (type.id === 'VARCHAR') return Math.max(10, rows ** 0.5);
  // If the range between the smallest and the largest integer contains fewer values than there are rows, the
  // limit is certain.
  if (isKnown && /^U?(?:INTEGER|BIGINT|HUGEINT)$/.test(type.id)) return Math.max(10, rows);
  return width <= 4 ? Math.min(rows, Math.max(10, rows ** 0.8)) : Math.max(10, rows ** 0.7);
}

/** The number of rows that a constant LIMIT lets through; undefined if it is not constant. */
function limitRows({ limit, offset, isPercent }: LimitRelation): number | undefined {
  if (isPercent || limit === undefined) return undefined;
  const [count, skipped] = [constantNumber(limit), offset === undefined ? 0 : constantNumber(offset)];
  return count === undefined || skipped === undefined ? undefined : count;
}

export function constantNumber(expression: PlanExpression): number | undefined {
  const { value } = expression;
  if (value === undefined || value.is_null === true) return undefined;
  const number = Number(value.value);
  return Number.isSafeInteger(number) ? number : undefined;
}
