import type { JoinRelation, Relation, ScanRelation } from '../../relational/relation.ts';
import { unionAll } from '../tree/build.ts';
import { plainReference } from '../tree/expressions.ts';
import { withInputs } from '../tree/inputs.ts';
import { scanOf } from './column-origin.ts';
import { equalKeys } from './equal-keys.ts';
import { keysOfOutput } from './exchange.ts';
import { commonDomain, commonKeys, type Fragment, type KeyedFragment, type Placed } from './fragment.ts';
import type { Planning } from './planning.ts';
import type { CoLocatedSides } from './weighed-strategy.ts';

/**
 * The rows of a relation as one fragment, if tasks have them by ranges of a key that is among the `allowed` columns: each task has
 * all rows of its keys. Outputs that tasks have left by ranges of the key are read where they are.
 */
export function coLocatedWithin(
  planning: Planning,
  placed: Placed,
  allowed: ReadonlySet<number>,
): KeyedFragment | undefined {
  const found = keyedWithin(planning, placed, allowed);
  return found && readForwarded(planning, found);
}

/** Forwards the outputs that a fragment reads. */
export function readForwarded(planning: Planning, fragment: KeyedFragment): KeyedFragment {
  for (const input of fragment.forwarded) planning.readings.get(input)!.mode = 'forward';
  return fragment;
}

/** The fragment of `coLocatedWithin`, before it is decided that its rows are read so. */
export function keyedWithin(
  planning: Planning,
  placed: Placed,
  allowed: ReadonlySet<number>,
): KeyedFragment | undefined {
  const fragments = placed.fragments.map((fragment) => whereItIs(planning, fragment));
  const keyed = commonKeys(fragments);
  const columns = keyed?.columns.filter((column) => allowed.has(column)) ?? [];
  if (keyed === undefined || columns.length === 0) return undefined;
  return {
    relation: unionAll(fragments.map(({ relation }) => relation)),
    placement: 'source',
    hashKeyChoices: [],
    keyed,
    forwardedFrom: fragments.find(({ forwardedFrom }) => forwardedFrom !== undefined)?.forwardedFrom,
    forwarded: fragments.flatMap(({ output }) => (output === undefined ? [] : [output.input])),
  };
}

/** An output that tasks have left by ranges of a key, as the tasks of these nodes read it. */
function whereItIs(planning: Planning, fragment: Fragment): Fragment {
  const { output, placement } = fragment;
  const keyed = placement === 'output' && output !== undefined ? keysOfOutput(planning, output) : undefined;
  return keyed === undefined
    ? fragment
    : { ...fragment, placement: 'source', keyed, forwardedFrom: output!.stage };
}

/**
 * Joins tables by the key whose ranges divide both of them, if there is such a key.
 *     join k              →    join k                        one task: k from 1 to 1,000 in both
 *       scan a (source)          scan a (source, by k)
 *       scan b (source)          scan b (source, by k)
 * Without the ranges, matching rows would be in different tasks, and the join would lose them.
 */
export function coLocatedSides(
  planning: Planning,
  join: JoinRelation,
  left: Placed,
  right: Placed,
): CoLocatedSides | undefined {
  const isKeyed = (fragment: Fragment) => whereItIs(planning, fragment).keyed !== undefined;
  if (![...left.fragments, ...right.fragments].some(isKeyed)) return undefined;
  for (const pair of equalKeys(join)) {
    const sides = {
      left: keyedWithin(planning, dividedBy(planning, left, pair.left), new Set([pair.left])),
      right: keyedWithin(planning, dividedBy(planning, right, pair.right), new Set([pair.right])),
    };
    if (sides.left === undefined || sides.right === undefined) continue;
    const isTogether = commonDomain([sides.left, sides.right]) !== undefined;
    if (!isTogether) continue;
    return { left: sides.left, right: sides.right, keys: pair };
  }
  return undefined;
}

/**
 * Replicated fragments in which the table that a column comes from is divided, if the column is that table's
 * key.
 */
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
 * Divides the scan that `scanOf` finds. The tables that it is joined with stay replicated, so that each row
 * is in one task. Undefined if other operators are in between.
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
