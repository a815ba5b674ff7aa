import type { StageId } from '../../distributed-plan.ts';
import { isVolatile } from '../../relational/expressions/volatility.ts';
import type { Relation } from '../../relational/relation.ts';
import { append, project, unionAll } from '../tree/build.ts';
import { constant } from '../tree/expressions.ts';
import { inputsOf, rebuild } from '../tree/inputs.ts';
import {
  commonKeys,
  commonPlacement,
  type Fragment,
  type KeyedColumns,
  keyedBy,
  type OutputOrigin,
  type Placed,
  sameColumns,
  sameKeys,
  singleFragment,
  withOperator,
} from './fragment.ts';
import { isForOneTask, withWholeScans } from './one-task.ts';
import { partitionReplicated } from './partition-replicated.ts';
import type { Planning } from './planning.ts';

/** Below this size a single task is faster than several. */
const FEW_BYTES = 2 ** 20;

/**
 * If a filter passes less than this fraction of the rows of a stage output, its result is materialized by
 * hash; otherwise the unfiltered output is read by hash and filtered again.
 */
const FILTERED_READ_SHARE = 0.3;

/**
 * Makes a stage of every fragment of a relation that is not a stage output yet, so that other stages can read it. `keys` are the
 * positions of the columns to hash by.
 */
export function materialize(
  planning: Planning,
  placed: Placed,
  keys: readonly number[] = [],
): readonly Fragment[] {
  const known = planning.materialized.get(placed.relation)?.at(-1);
  if (known !== undefined) return known.map((fragment) => readAgain(planning, fragment));
  const given = placed.fragments.map((fragment) => partitionReplicated(planning, fragment));
  const outputs = given.filter(({ placement }) => placement === 'output');
  const others = given.filter(({ placement }) => placement !== 'output');
  const made = stageGroups(others).map((group) => stageOf(planning, placed, group, keys));
  const fragments = [...outputs, ...made];
  planning.materialized.set(placed.relation, [fragments]);
  return fragments;
}

/** The outputs of started stages that contain the relation, to be read again. */
export function materializedBefore(planning: Planning, relation: Relation): Placed | undefined {
  const fragments = planning.fixed.get(relation)?.at(-1);
  return fragments && { relation, fragments: fragments.map((fragment) => readAgain(planning, fragment)) };
}

/** Returns all rows of a relation, for every task that reads the fragment. */
export function broadcast(planning: Planning, placed: Placed, keys: readonly number[] = []): Fragment {
  const [only] = placed.fragments;
  if (placed.fragments.length === 1 && only?.placement === 'replicated') return only;
  const isReadable = placed.fragments.every(
    ({ placement }) => placement === 'replicated' || placement === 'output',
  );
  const fragments = isReadable ? placed.fragments : materialize(planning, placed, keys);
  return {
    relation: unionAll(fragments.map(({ relation }) => relation)),
    placement: 'replicated',
    hashKeyChoices: [],
  };
}

/** Returns all rows of a relation in one place: where they are if that is one place already. */
export function gather(planning: Planning, placed: Placed): Fragment {
  const [only] = placed.fragments;
  if (
    placed.fragments.length === 1 &&
    only !== undefined &&
    /^(?:replicated|single|coordinator)$/.test(only.placement)
  )
    return only;
  return broadcast(planning, placed);
}

/**
 * Gathers a relation into one task if it already is in one place, or if all its stages have finished with
 * small outputs: several tasks would cost more than they save.
 */
export function gatherWhenSmall(planning: Planning, placed: Placed): Placed {
  if (singleFragment(placed) !== undefined) return placed;
  let bytes = 0;
  for (const { placement, output } of placed.fragments) {
    const size = output === undefined ? undefined : planning.finished.get(output.stage)?.bytes;
    if (placement !== 'output' || size === undefined) return placed;
    bytes += size;
  }
  if (bytes > Math.min(FEW_BYTES, planning.facts.cluster.broadcastLimitBytes)) return placed;
  return { ...placed, fragments: [broadcast(planning, placed)] };
}

/**
 * Repartitions rows by hash: rows with equal `keys` reach the same task, also across relations whose keys
 * have the same types.
 */
export function repartition(planning: Planning, placed: Placed, keys: readonly number[]): Fragment {
  const isThere = placed.fragments.every(
    ({ placement, hashKeyChoices: hashed }) =>
      placement === 'hash' && hashed.some((choice) => sameKeys(choice, keys)),
  );
  if (isThere) return merged(placed.fragments, keys);
  const cuts = planning.materialized.get(placed.relation) ?? [];
  let fragments = placed.fragments;
  let readable: readonly (Fragment | undefined)[] = [];
  for (const known of cuts.length > 0 ? cuts : [fragments]) {
    fragments = known.map((fragment) => readAgain(planning, fragment));
    readable = fragments.map((fragment) => readByHash(planning, placed.relation, fragment, keys));
    if (readable.every((fragment) => fragment !== undefined)) return merged(readable, keys);
  }
  // A fragment that is hashed by these keys but is not a stage output yet is materialized with the others. A relation that is
  // materialized only in part is not recognised when the plan is refined, and its stages would be planned again each time.
  const kept = readable.filter((_, i) => fragments[i]!.output !== undefined);
  const rest: Placed = {
    relation: placed.relation,
    fragments: fragments
      .filter(({ output }, i) => output === undefined || readable[i] === undefined)
      .map((fragment) => forward(planning, fragment)),
  };
  const given = rest.fragments.map((fragment) => partitionReplicated(planning, fragment));
  const made = stageGroups(given).map((group) => stageOf(planning, rest, group, keys));
  const outputs = fragments.filter(({ output }, i) => output !== undefined && readable[i] !== undefined);
  planning.materialized.set(placed.relation, [...cuts, [...outputs, ...made]]);
  return merged(
    [
      ...kept.filter((fragment) => fragment !== undefined),
      ...made.map((fragment) => readByHash(planning, placed.relation, fragment, keys)!),
    ],
    keys,
  );
}

/**
 * Columns among `allowed` by which all fragments are hashed, or for which their stage outputs have hash
 * buckets.
 */
export function hashKeysWithin(
  planning: Planning,
  { fragments }: Placed,
  allowed: ReadonlySet<number>,
): readonly number[] | undefined {
  const [first, ...others] = fragments;
  if (first === undefined) return undefined;
  return hashKeyChoicesOf(planning, first).find(
    (keys) =>
      keys.length > 0 &&
      keys.every((key) => allowed.has(key)) &&
      others.every((other) => hashKeyChoicesOf(planning, other).some((choice) => sameKeys(choice, keys))),
  );
}

function hashKeyChoicesOf(
  planning: Planning,
  { hashKeyChoices: hashed, output }: Fragment,
): readonly (readonly number[])[] {
  if (output === undefined) return hashed;
  const keys = planning.draft(output.stage).hashKeys.map((key) => output.columns.indexOf(key));
  return keys.includes(-1) ? [] : [keys];
}

/** Reads the output of a stage on the nodes where its tasks ran (exchange mode `forward`). */
export function forward(planning: Planning, fragment: Fragment): Fragment {
  const { output } = fragment;
  if (output === undefined) return fragment;
  const { partitioning } = planning.draft(output.stage);
  if (partitioning === 'single' || partitioning === 'coordinator')
    return { relation: fragment.relation, placement: 'replicated', hashKeyChoices: [] };
  planning.readings.get(output.input)!.mode = 'forward';
  return {
    relation: fragment.relation,
    placement: 'source',
    hashKeyChoices: [],
    forwardedFrom: output.stage,
    keyed: keysOfOutput(planning, output),
  };
}

/** The key by whose ranges the tasks of a stage have left its output, in the columns of the fragment that reads it. */
export function keysOfOutput(planning: Planning, { stage, columns }: OutputOrigin): KeyedColumns | undefined {
  const { keyed } = planning.draft(stage);
  return keyedBy(
    keyed,
    [...columns.keys()].filter((i) => keyed?.columns.includes(columns[i] ?? -1)),
  );
}

function merged(fragments: readonly Fragment[], keys: readonly number[]): Fragment {
  const [first] = fragments as readonly [Fragment];
  if (fragments.length === 1) return first;
  return {
    relation: unionAll(fragments.map(({ relation }) => relation)),
    placement: 'hash',
    hashKeyChoices: [keys],
  };
}

/** Reads a stage output by hash of `keys`; undefined if the output has no such buckets. */
function readByHash(
  planning: Planning,
  relation: Relation,
  fragment: Fragment,
  keys: readonly number[],
): Fragment | undefined {
  const { output } = fragment;
  if (fragment.placement === 'hash' && fragment.hashKeyChoices.some((choice) => sameKeys(choice, keys)))
    return fragment;
  if (output === undefined || keys.length === 0) return undefined;
  const wanted = keys.map((key) => output.columns[key]);
  if (!wanted.every((position) => position !== undefined)) return undefined;
  const draft = planning.draft(output.stage);
  if (draft.hasOpenKeys && !draft.isFixed && !sameKeys(draft.hashKeys, wanted)) {
    const { rows } = planning.estimates.of(relation);
    if (fragment.relation.kind !== 'input' && rows < draft.rows * FILTERED_READ_SHARE) return undefined;
    draft.hashKeys = wanted;
  }
  if (!sameKeys(draft.hashKeys, wanted)) return undefined;
  draft.hasOpenKeys = false;
  planning.readings.get(output.input)!.mode = 'hash';
  return { relation: fragment.relation, placement: 'hash', hashKeyChoices: [keys] };
}

/** Groups the fragments that one stage can compute together. */
function stageGroups(fragments: readonly Fragment[]): readonly (readonly Fragment[])[] {
  const groups: Fragment[][] = [];
  for (const fragment of fragments) {
    const mate = groups.find(([first]) => first !== undefined && canShareStage(first, fragment));
    if (mate === undefined) groups.push([fragment]);
    else mate.push(fragment);
  }
  return groups;
}

const canShareStage = (a: Fragment, b: Fragment): boolean =>
  a.placement === b.placement && a.forwardedFrom === b.forwardedFrom;

function stageOf(
  planning: Planning,
  placed: Placed,
  group: readonly Fragment[],
  keys: readonly number[],
): Fragment {
  const [first] = group as readonly [Fragment];
  const isSmall = isForOneTask(planning, { relation: placed.relation, fragments: group });
  const divided = unionAll(group.map(({ relation }) => relation));
  const union = isSmall ? withWholeScans(planning, divided) : divided;
  // A relation without columns needs one, so that its rows can be counted.
  const relation = union.columns.length > 0 ? union : append(union, [constant({ id: 'BOOLEAN' }, true)]);
  const share = group.length / placed.fragments.length;
  const { rows, bytes, distinct, tableColumns } = planning.estimates.of(placed.relation);
  const placement = isSmall
    ? 'single'
    : first.placement === 'source' || first.placement === 'hash'
      ? first.placement
      : commonPlacement(group);
  const draft = planning.addDraft(
    {
      partitioning: placement === 'replicated' ? 'single' : placement,
      relation,
      columns: relation.columns,
      isVolatile: isVolatileRelation(relation),
      rows: rows * share,
      bytes: bytes * share,
      distinct,
      tableColumns,
      keyed: placement === 'source' ? commonKeys(group) : undefined,
    },
    // Rows that are already hashed keep their hash keys, because a reader may need them.
    keys.length > 0 || group.length > 1 ? keys : (first.hashKeyChoices[0] ?? []),
  );
  draft.hasOpenKeys = keys.length === 0;
  const output = outputOf(planning, draft.id);
  return union.columns.length > 0 ? output : withOperator(output, project(output.relation, []), []);
}

function outputOf(planning: Planning, stage: StageId): Fragment {
  const { columns } = planning.draft(stage);
  const relation = planning.read(stage, columns);
  return {
    relation,
    placement: 'output',
    hashKeyChoices: [],
    output: { stage, input: relation.id, columns: sameColumns(relation) },
  };
}

/** Reads the same stage output again, with its own exchange mode. */
export function readAgain(planning: Planning, fragment: Fragment): Fragment {
  const { output } = fragment;
  if (output === undefined) return fragment;
  let input = output.input;
  const relation = rebuild(fragment.relation, (inner) => {
    if (inner.kind !== 'input' || inner.id !== output.input) return inner;
    const fresh = planning.readAgain(inner);
    input = fresh.id;
    return fresh;
  });
  return { ...fragment, placement: 'output', hashKeyChoices: [], relation, output: { ...output, input } };
}

/** Whether computing the relation again may produce other rows. */
export function isVolatileRelation(relation: Relation): boolean {
  switch (relation.kind) {
    case 'sample':
    case 'limit':
      return true;
    case 'filter':
      if (relation.predicates.some(isVolatile)) return true;
      break;
    case 'project':
      if (relation.expressions.some(isVolatile)) return true;
      break;
    case 'values':
      if (relation.rows.some((row) => row.some(isVolatile))) return true;
      break;
    case 'function':
      if (relation.arguments.some(isVolatile)) return true;
      break;
    case 'join':
      if (relation.residual.some(isVolatile)) return true;
      break;
    case 'aggregate':
      if (relation.aggregates.some(isVolatile)) return true;
      break;
    case 'unnest':
      if (relation.unnests.some(isVolatile)) return true;
      break;
  }
  return inputsOf(relation).some(isVolatileRelation);
}
