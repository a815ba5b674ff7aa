import { isVolatile } from '../../relational/expressions/volatility.ts';
import type { Relation } from '../../relational/relation.ts';
import type { StageId } from '../distributed-plan.ts';
import { append, project, unionAll } from '../tree/build.ts';
import { constant } from '../tree/expressions.ts';
import { inputsOf, rebuild } from '../tree/inputs.ts';
import {
  type Fragment,
  inOnePlace,
  over,
  type Placed,
  placeOfAll,
  sameColumns,
  sameKeys,
} from './fragment.ts';
import type { Planning } from './planning.ts';
import { shardWhole } from './shard-whole.ts';

/** Of rows that one task reads sooner than several do. */
const FEW_BYTES = 2 ** 20;

/** Rows that may be read again by every task that wants them, in place of being sent to them filtered. */
const FILTERED_READ_SHARE = 0.3;

/**
 * Makes stages of all fragments of a relation that are not yet rows of one, so that others can read them. `keys` are positions
 * by which they are to be readable in buckets.
 */
export function cut(planning: Planning, placed: Placed, keys: readonly number[] = []): readonly Fragment[] {
  const known = planning.cuts.get(placed.relation)?.at(-1);
  if (known !== undefined) return known.map((fragment) => freshReading(planning, fragment));
  const given = placed.fragments.map((fragment) => shardWhole(planning, fragment));
  const outputs = given.filter(({ placement }) => placement === 'output');
  const others = given.filter(({ placement }) => placement !== 'output');
  const made = grouped(others).map((group) => stageOf(planning, placed, group, keys));
  const fragments = [...outputs, ...made];
  planning.cuts.set(placed.relation, [fragments]);
  return fragments;
}

/** Stages that were started for the relation, to be read anew. */
export function cutBefore(planning: Planning, relation: Relation): Placed | undefined {
  const fragments = planning.fixed.get(relation)?.at(-1);
  return fragments && { relation, fragments: fragments.map((fragment) => freshReading(planning, fragment)) };
}

/** All rows in every task that reads the fragment. */
export function everywhere(planning: Planning, placed: Placed, keys: readonly number[] = []): Fragment {
  const [only] = placed.fragments;
  if (placed.fragments.length === 1 && only?.placement === 'whole') return only;
  const isReadable = placed.fragments.every(
    ({ placement }) => placement === 'whole' || placement === 'output',
  );
  const fragments = isReadable ? placed.fragments : cut(planning, placed, keys);
  return {
    relation: unionAll(fragments.map(({ relation }) => relation)),
    placement: 'whole',
    hashed: [],
  };
}

/** All rows in one place; where they are when they are in one already. */
export function inOne(planning: Planning, placed: Placed): Fragment {
  const [only] = placed.fragments;
  if (
    placed.fragments.length === 1 &&
    only !== undefined &&
    /^(?:whole|single|coordinator)$/.test(only.placement)
  )
    return only;
  return everywhere(planning, placed);
}

/**
 * The rows in one place, where they are already or stages have finished that left few of them: sooner read by one task than by
 * several, each of which costs more than its rows.
 */
export function gatheredWhenFew(planning: Planning, placed: Placed): Placed {
  if (inOnePlace(placed) !== undefined) return placed;
  let bytes = 0;
  for (const { placement, output } of placed.fragments) {
    const size = output === undefined ? undefined : planning.finishedBytes.get(output.stage);
    if (placement !== 'output' || size === undefined) return placed;
    bytes += size;
  }
  if (bytes > Math.min(FEW_BYTES, planning.facts.cluster.broadcastLimitBytes)) return placed;
  return { ...placed, fragments: [everywhere(planning, placed)] };
}

/** Rows with the same values of `keys` in the same task, which is the same for all that are hashed by keys of these types. */
export function inBuckets(planning: Planning, placed: Placed, keys: readonly number[]): Fragment {
  const isThere = placed.fragments.every(
    ({ placement, hashed }) => placement === 'buckets' && hashed.some((choice) => sameKeys(choice, keys)),
  );
  if (isThere) return merged(placed.fragments, keys);
  const cuts = planning.cuts.get(placed.relation) ?? [];
  let fragments = placed.fragments;
  let readable: readonly (Fragment | undefined)[] = [];
  for (const known of cuts.length > 0 ? cuts : [fragments]) {
    fragments = known.map((fragment) => freshReading(planning, fragment));
    readable = fragments.map((fragment) => readInBuckets(planning, placed.relation, fragment, keys));
    if (readable.every((fragment) => fragment !== undefined)) return merged(readable, keys);
  }
  // A fragment that is in these buckets but not yet rows of a stage becomes one with the others: a relation that is cut in
  // part only is not known again when the plan is refined, and its stages would be planned once more each time.
  const kept = readable.filter((_, i) => fragments[i]!.output !== undefined);
  const rest: Placed = {
    relation: placed.relation,
    fragments: fragments
      .filter(({ output }, i) => output === undefined || readable[i] === undefined)
      .map((fragment) => forwarded(planning, fragment)),
  };
  const given = rest.fragments.map((fragment) => shardWhole(planning, fragment));
  const made = grouped(given).map((group) => stageOf(planning, rest, group, keys));
  const outputs = fragments.filter(({ output }, i) => output !== undefined && readable[i] !== undefined);
  planning.cuts.set(placed.relation, [...cuts, [...outputs, ...made]]);
  return merged(
    [
      ...kept.filter((fragment) => fragment !== undefined),
      ...made.map((fragment) => readInBuckets(planning, placed.relation, fragment, keys)!),
    ],
    keys,
  );
}

/**
 * A choice of columns by which all fragments are hashed, or their rows were left in buckets, that is among `allowed`.
 */
export function hashedWithin(
  planning: Planning,
  { fragments }: Placed,
  allowed: ReadonlySet<number>,
): readonly number[] | undefined {
  const [first, ...others] = fragments;
  if (first === undefined) return undefined;
  return choicesOf(planning, first).find(
    (keys) =>
      keys.length > 0 &&
      keys.every((key) => allowed.has(key)) &&
      others.every((other) => choicesOf(planning, other).some((choice) => sameKeys(choice, keys))),
  );
}

function choicesOf(planning: Planning, { hashed, output }: Fragment): readonly (readonly number[])[] {
  if (output === undefined) return hashed;
  const keys = planning.draft(output.stage).hashKeys.map((key) => output.columns.indexOf(key));
  return keys.includes(-1) ? [] : [keys];
}

/** Rows of a stage where its tasks left them. */
export function forwarded(planning: Planning, fragment: Fragment): Fragment {
  const { output } = fragment;
  if (output === undefined) return fragment;
  const { spread } = planning.draft(output.stage);
  if (spread === 'single' || spread === 'coordinator')
    return { relation: fragment.relation, placement: 'whole', hashed: [] };
  planning.readings.get(output.input)!.mode = 'forward';
  return { relation: fragment.relation, placement: 'shards', hashed: [], forwarded: output.stage };
}

function merged(fragments: readonly Fragment[], keys: readonly number[]): Fragment {
  const [first] = fragments as readonly [Fragment];
  if (fragments.length === 1) return first;
  return {
    relation: unionAll(fragments.map(({ relation }) => relation)),
    placement: 'buckets',
    hashed: [keys],
  };
}

/** The rows of a stage in buckets of `keys`; undefined where they are not left so. */
function readInBuckets(
  planning: Planning,
  relation: Relation,
  fragment: Fragment,
  keys: readonly number[],
): Fragment | undefined {
  const { output } = fragment;
  if (fragment.placement === 'buckets' && fragment.hashed.some((choice) => sameKeys(choice, keys)))
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
  planning.readings.get(output.input)!.mode = 'hashed';
  return { relation: fragment.relation, placement: 'buckets', hashed: [keys] };
}

/** Fragments that one stage can compute, together. */
function grouped(fragments: readonly Fragment[]): readonly (readonly Fragment[])[] {
  const groups: Fragment[][] = [];
  for (const fragment of fragments) {
    const mate = groups.find(([first]) => first !== undefined && canShareStage(first, fragment));
    if (mate === undefined) groups.push([fragment]);
    else mate.push(fragment);
  }
  return groups;
}

const canShareStage = (a: Fragment, b: Fragment): boolean =>
  a.placement === b.placement && a.forwarded === b.forwarded;

function stageOf(
  planning: Planning,
  placed: Placed,
  group: readonly Fragment[],
  keys: readonly number[],
): Fragment {
  const [first] = group as readonly [Fragment];
  const union = unionAll(group.map(({ relation }) => relation));
  // Rows without columns have to be counted by something.
  const relation = union.columns.length > 0 ? union : append(union, [constant({ id: 'BOOLEAN' }, true)]);
  const share = group.length / placed.fragments.length;
  const { rows, bytes } = planning.estimates.of(placed.relation);
  const spread =
    first.placement === 'shards' || first.placement === 'buckets' ? first.placement : placeOfAll(group);
  const draft = planning.addDraft(
    {
      spread: spread === 'whole' ? 'single' : spread,
      relation,
      columns: relation.columns,
      isVolatile: isVolatileRelation(relation),
      rows: rows * share,
      bytes: bytes * share,
    },
    // Rows that are hashed already are left so: who reads them may need them so again.
    keys.length > 0 || group.length > 1 ? keys : (first.hashed[0] ?? []),
  );
  draft.hasOpenKeys = keys.length === 0;
  const output = outputOf(planning, draft.id);
  return union.columns.length > 0 ? output : over(output, project(output.relation, []), []);
}

function outputOf(planning: Planning, stage: StageId): Fragment {
  const { columns } = planning.draft(stage);
  const relation = planning.read(stage, columns);
  return {
    relation,
    placement: 'output',
    hashed: [],
    output: { stage, input: relation.id, columns: sameColumns(relation) },
  };
}

/** Another reading of the same rows: how they are read is open again. */
export function freshReading(planning: Planning, fragment: Fragment): Fragment {
  const { output } = fragment;
  if (output === undefined) return fragment;
  let input = output.input;
  const relation = rebuild(fragment.relation, (inner) => {
    if (inner.kind !== 'input' || inner.id !== output.input) return inner;
    const fresh = planning.read(output.stage, inner.columns);
    input = fresh.id;
    return fresh;
  });
  return { ...fragment, placement: 'output', hashed: [], relation, output: { ...output, input } };
}

/** Whether computing the rows again may give others. */
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
