import type { JoinRelation, Relation, ScanRelation } from '../../relational/relation.ts';
import { unionAll } from '../tree/build.ts';
import { plainReference } from '../tree/expressions.ts';
import { withInputs } from '../tree/inputs.ts';
import { scanOf } from './column-origin.ts';
import { equalKeys } from './equal-keys.ts';
import { type Fragment, type KeyedColumns, keyedBy, type Placed } from './fragment.ts';
import type { Planning } from './planning.ts';
import type { CoLocatedSides } from './weighed-strategy.ts';

/**
 * The rows of a relation as one fragment, if tasks have them by ranges of a key that is among the `allowed` columns: each task has
 * all rows of its keys.
 */
export function coLocatedWithin(
  { fragments }: Placed,
  allowed: ReadonlySet<number>,
): (Fragment & { readonly keyed: KeyedColumns }) | undefined {
  const keyed = commonKeys(fragments);
  const columns = keyed?.columns.filter((column) => allowed.has(column)) ?? [];
  if (keyed === undefined || columns.length === 0) return undefined;
  return {
    relation: unionAll(fragments.map(({ relation }) => relation)),
    placement: 'source',
    hashKeyChoices: [],
    keyed,
  };
}

/** The key columns that all fragments are divided by. */
export function commonKeys(fragments: readonly Fragment[]): KeyedColumns | undefined {
  const [first, ...others] = fragments;
  const isDivided = fragments.every(
    ({ placement, forwardedFrom, keyed }) =>
      placement === 'source' && forwardedFrom === undefined && keyed?.domain === first?.keyed?.domain,
  );
  if (!isDivided || first?.keyed === undefined) return undefined;
  const columns = first.keyed.columns.filter((column) =>
    others.every(({ keyed }) => keyed!.columns.includes(column)),
  );
  return keyedBy(first.keyed, columns);
}

/**
 * Joins tables by the key by whose ranges both are divided, where they are.
 *
 *     join k              →    join k                        one task: k from 1 to 1,000 in both
 *       scan a (source)          scan a (source, by k)
 *       scan b (source)          scan b (source, by k)
 */
export function coLocatedSides(
  planning: Planning,
  join: JoinRelation,
  left: Placed,
  right: Placed,
): CoLocatedSides | undefined {
  if (![...left.fragments, ...right.fragments].some(({ keyed }) => keyed !== undefined)) return undefined;
  for (const pair of equalKeys(join)) {
    const sides = {
      left: coLocatedWithin(dividedBy(planning, left, pair.left), new Set([pair.left])),
      right: coLocatedWithin(dividedBy(planning, right, pair.right), new Set([pair.right])),
    };
    if (sides.left === undefined || sides.left.keyed.domain !== sides.right?.keyed.domain) continue;
    return { left: sides.left, right: sides.right, keys: pair };
  }
  return undefined;
}

/** Replicated fragments with the table divided that a column comes from, where it is the key of that table. */
const dividedBy = (planning: Planning, placed: Placed, column: number): Placed => ({
  ...placed,
  fragments: placed.fragments.map((fragment): Fragment => {
    const { scan, column: name } = scanOf(fragment.relation, column) ?? {};
    const key = scan && planning.facts.tables.get(scan.relation)?.key;
    if (fragment.placement !== 'replicated' || key === undefined || key.column !== name) return fragment;
    const relation = withDividedScan(planning, fragment.relation, column);
    if (relation === undefined) return fragment;
    return { ...fragment, relation, placement: 'source', keyed: { domain: key.domain, columns: [column] } };
  }),
});

/**
 * Divides the scan that `scanOf` finds. The tables that it is joined with stay whole, so that each row is in one task. Undefined
 * below other operators.
 */
function withDividedScan(planning: Planning, relation: Relation, position: number): Relation | undefined {
  switch (relation.kind) {
    case 'scan': {
      const scan: ScanRelation = { ...relation };
      planning.partitionedScans.add(scan);
      return scan;
    }
    case 'filter': {
      const input = withDividedScan(planning, relation.input, position);
      return input && withInputs(relation, [input]);
    }
    case 'project': {
      const source = plainReference(relation.expressions[position]!)!;
      const input = withDividedScan(planning, relation.input, source);
      return input && withInputs(relation, [input]);
    }
    case 'join': {
      const { left, right, type } = relation;
      const isRightOnly = type === 'right_semi' || type === 'right_anti';
      const width = isRightOnly ? 0 : left.columns.length;
      if (position < width) {
        const divided = withDividedScan(planning, left, position);
        return divided && withInputs(relation, [divided, right]);
      }
      const divided = withDividedScan(planning, right, position - width);
      return divided && withInputs(relation, [left, divided]);
    }
    default:
      return undefined;
  }
}
