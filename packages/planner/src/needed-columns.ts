import { isGet, type PlanGet, type PlanOperator } from './plan-nodes.ts';

/** The positions of needed columns of an operator; `all` if it is unknown which are needed. */
export type Needed = ReadonlySet<number> | 'all';

/**
 * Calls `onGet` for every scan with the columns that are needed for all columns of the root; columns that no
 * operator above uses are left out. Operators that are not known here need everything below them.
 */
export function walkNeededColumns(
  root: PlanOperator,
  onGet: (get: PlanGet, needed: Needed, parent: PlanOperator | undefined) => void,
): void {
  visit(root, 'all', undefined);

  function visit(node: PlanOperator, needed: Needed, parent: PlanOperator | undefined): void {
    if (isGet(node)) onGet(node, needed, parent);
    const below = childrenNeeds(node, needed);
    for (const [i, child] of (node.children ?? []).entries()) visit(child, below[i] ?? 'all', node);
  }
}

const NONE: Needed = new Set();

/** Fields without references to columns of the children. */
const PLAIN_FIELDS = new Set(['type', 'children']);

/**
 * The columns that the operator needs of each of its children; children that are not in the list are needed
 * completely.
 */
function childrenNeeds(node: PlanOperator, needed: Needed): readonly Needed[] {
  const rule = RULES[node.type];
  if (rule === undefined) return [];
  const { fields, needs } = rule;
  const isSurprising = Object.entries(node).some(
    ([key, value]) => !PLAIN_FIELDS.has(key) && !fields.includes(key) && references(value).size > 0,
  );
  return isSurprising ? [] : needs(node as LooseOperator, needed);
}

/** An operator with the fields that only some operators have. */
interface LooseOperator extends PlanOperator {
  readonly groups?: readonly unknown[];
  readonly grouping_functions?: readonly unknown[];
  readonly projection_map?: readonly number[];
  readonly left_projection_map?: readonly number[];
  readonly right_projection_map?: readonly number[];
  readonly projections?: readonly number[];
  readonly conditions?: readonly { readonly left: unknown; readonly right: unknown }[];
  readonly condition?: unknown;
  readonly join_type?: string;
  readonly orders?: unknown;
  readonly distinct_type?: string;
  readonly distinct_targets?: unknown;
  readonly order_by?: unknown;
  readonly setop_all?: boolean;
  readonly duplicate_eliminated_columns?: unknown;
  /** Whether these are columns of the right side. */
  readonly delim_flipped?: boolean;
}

interface Rule {
  /** The fields with references, all of which `needs` examines. */
  readonly fields: readonly string[];
  needs(node: LooseOperator, needed: Needed): readonly Needed[];
}

const RULES: Readonly<Record<string, Rule>> = {
  LOGICAL_PROJECTION: {
    fields: ['expressions'],
    needs: ({ expressions = [] }, needed) => [references(picked(expressions, needed))],
  },
  LOGICAL_FILTER: {
    fields: ['expressions'],
    needs: ({ expressions, projection_map }, needed) => [
      union(throughMap(needed, projection_map), references(expressions)),
    ],
  },
  LOGICAL_AGGREGATE_AND_GROUP_BY: {
    fields: ['groups', 'expressions'],
    needs: ({ groups = [], expressions = [] }, needed) => {
      const aggregates = picked(expressions, shifted(needed, -groups.length));
      return [union(references(groups), references(aggregates))];
    },
  },
  LOGICAL_ORDER_BY: {
    fields: ['orders'],
    needs: ({ orders, projections, projection_map }, needed) => [
      union(throughMap(needed, projections ?? projection_map), references(orders)),
    ],
  },
  LOGICAL_TOP_N: {
    fields: ['orders'],
    needs: ({ orders }, needed) => [union(needed, references(orders))],
  },
  LOGICAL_LIMIT: { fields: [], needs: (_node, needed) => [needed] },
  LOGICAL_SAMPLE: { fields: [], needs: (_node, needed) => [needed] },
  LOGICAL_DISTINCT: {
    fields: ['distinct_targets', 'order_by'],
    needs: ({ distinct_type, distinct_targets, order_by }, needed) =>
      distinct_type === 'DISTINCT_ON'
        ? [union(needed, union(references(distinct_targets), references(order_by)))]
        : ['all'],
  },
  LOGICAL_WINDOW: { fields: ['expressions'], needs: appended },
  LOGICAL_UNNEST: { fields: ['expressions'], needs: appended },
  LOGICAL_COMPARISON_JOIN: { fields: ['conditions'], needs: joined },
  LOGICAL_ASOF_JOIN: { fields: ['conditions'], needs: joined },
  LOGICAL_DELIM_JOIN: { fields: ['conditions', 'duplicate_eliminated_columns'], needs: joined },
  LOGICAL_ANY_JOIN: {
    fields: ['condition'],
    needs: (node, needed) => {
      const left = width(node.children?.[0]);
      if (left === undefined) return [];
      const used = references(node.condition);
      const [ofLeft, ofRight] = joined(node, needed);
      if (ofLeft === undefined || ofRight === undefined) return [];
      return [union(ofLeft, below(used, left)), union(ofRight, shifted(used, -left))];
    },
  },
  LOGICAL_CROSS_PRODUCT: { fields: [], needs: joined },
  LOGICAL_UNION: {
    fields: [],
    needs: ({ setop_all, children = [] }, needed) => (setop_all === true ? children.map(() => needed) : []),
  },
  LOGICAL_MATERIALIZED_CTE: { fields: [], needs: (_node, needed) => ['all', needed] },
};

/** The columns of the child, followed by those that the operator computes. */
function appended({ expressions, children }: LooseOperator, needed: Needed): readonly Needed[] {
  const columns = width(children?.[0]);
  return columns === undefined ? [] : [union(below(needed, columns), references(expressions))];
}

function joined(node: LooseOperator, needed: Needed): readonly Needed[] {
  const { conditions = [], children, left_projection_map: leftMap, right_projection_map: rightMap } = node;
  const leftWidth = mappedWidth(width(children?.[0]), leftMap);
  if (leftWidth === undefined) return [];
  const eliminated = references(node.duplicate_eliminated_columns);
  const onRight = node.delim_flipped === true;
  const ofLeft = union(references(conditions.map((c) => c.left)), onRight ? NONE : eliminated);
  const ofRight = union(references(conditions.map((c) => c.right)), onRight ? eliminated : NONE);
  switch (node.join_type) {
    case 'SEMI':
    case 'ANTI':
    case 'MARK':
      return [union(throughMap(below(needed, leftWidth), leftMap), ofLeft), ofRight];
    case 'RIGHT_SEMI':
    case 'RIGHT_ANTI':
      return [ofLeft, union(throughMap(needed, rightMap), ofRight)];
    default:
      return [
        union(throughMap(below(needed, leftWidth), leftMap), ofLeft),
        union(throughMap(shifted(needed, -leftWidth), rightMap), ofRight),
      ];
  }
}

/** The number of columns of an operator; undefined if it is not known here. */
function width(node: PlanOperator | undefined): number | undefined {
  if (node === undefined) return undefined;
  const { type, expressions = [], children = [] } = node;
  const loose = node as LooseOperator;
  if (isGet(node)) {
    const given = isEmpty(node.projection_ids) ? node.column_indexes : node.projection_ids;
    return (node.children ?? []).length > 0 ? undefined : given?.length;
  }
  switch (type) {
    case 'LOGICAL_PROJECTION':
      return expressions.length;
    case 'LOGICAL_FILTER':
      return mappedWidth(width(children[0]), loose.projection_map);
    case 'LOGICAL_ORDER_BY':
      return mappedWidth(width(children[0]), loose.projections ?? loose.projection_map);
    case 'LOGICAL_TOP_N':
    case 'LOGICAL_LIMIT':
    case 'LOGICAL_DISTINCT':
    case 'LOGICAL_SAMPLE':
      return width(children[0]);
    case 'LOGICAL_AGGREGATE_AND_GROUP_BY':
      return isEmpty(loose.grouping_functions) ? (loose.groups ?? []).length + expressions.length : undefined;
    case 'LOGICAL_WINDOW':
    case 'LOGICAL_UNNEST':
      return sum(width(children[0]), expressions.length);
    case 'LOGICAL_COMPARISON_JOIN':
    case 'LOGICAL_ASOF_JOIN':
    case 'LOGICAL_DELIM_JOIN':
    case 'LOGICAL_ANY_JOIN':
    case 'LOGICAL_CROSS_PRODUCT':
      return joinWidth(loose);
    case 'LOGICAL_MATERIALIZED_CTE':
      return width(children[1]);
    case 'LOGICAL_UNION':
      return width(children[0]);
    default:
      return undefined;
  }
}

function joinWidth({
  join_type,
  children,
  left_projection_map,
  right_projection_map,
}: LooseOperator): number | undefined {
  const left = mappedWidth(width(children?.[0]), left_projection_map);
  const right = mappedWidth(width(children?.[1]), right_projection_map);
  switch (join_type) {
    case 'SEMI':
    case 'ANTI':
      return left;
    case 'RIGHT_SEMI':
    case 'RIGHT_ANTI':
      return right;
    case 'MARK':
      return sum(left, 1);
    default:
      return sum(left, right);
  }
}

const isEmpty = (list: readonly unknown[] | undefined): boolean => list === undefined || list.length === 0;

const sum = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a + b;

/** The number of columns after a projection map; an absent or empty map passes all columns. */
const mappedWidth = (columns: number | undefined, map: readonly number[] | undefined): number | undefined =>
  map === undefined || map.length === 0 ? columns : map.length;

function throughMap(needed: Needed, map: readonly number[] | undefined): Needed {
  if (map === undefined || map.length === 0) return needed;
  return needed === 'all' ? new Set(map) : new Set([...needed].flatMap((i) => map[i] ?? []));
}

const union = (a: Needed, b: Needed): Needed => (a === 'all' || b === 'all' ? 'all' : new Set([...a, ...b]));

const below = (needed: Needed, limit: number): Needed =>
  needed === 'all' ? 'all' : new Set([...needed].filter((i) => i < limit));

const shifted = (needed: Needed, by: number): Needed =>
  needed === 'all' ? 'all' : new Set([...needed].map((i) => i + by).filter((i) => i >= 0));

const picked = <T>(items: readonly T[], needed: Needed): readonly T[] =>
  needed === 'all' ? items : items.filter((_, i) => needed.has(i));

/** The positions of all references inside a value. */
function references(value: unknown, found = new Set<number>()): Set<number> {
  if (Array.isArray(value)) {
    for (const item of value) references(item, found);
  } else if (typeof value === 'object' && value !== null) {
    const { type, index } = value as { readonly type?: unknown; readonly index?: unknown };
    // The first position is normally written out; a missing index is taken as zero to be safe.
    if (type === 'BOUND_REF') found.add(Number(index ?? 0));
    for (const field of Object.values(value)) references(field, found);
  }
  return found;
}
