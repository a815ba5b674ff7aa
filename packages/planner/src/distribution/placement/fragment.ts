import type { StageId } from '../../distributed-plan.ts';
import type { PlanExpression } from '../../plan-nodes.ts';
import type { Relation } from '../../relational/relation.ts';
import { plainReference } from '../tree/expressions.ts';

/**
 * Where the rows of a fragment are.
 * - `replicated`: every task that computes the fragment has all of its rows, and the same ones.
 * - `source`: each row is in one of the tasks among which the tablets of tables are divided.
 * - `hash`: each row is in the task that reads the hash bucket of its keys.
 * - `single`: all rows are in one task, because another task could compute other rows.
 * - `coordinator`: all rows are in the session of the query.
 * - `output`: the rows are the output of a stage, and the exchange mode is not chosen yet.
 */
type Placement = 'replicated' | 'source' | 'hash' | 'single' | 'coordinator' | 'output';

/** A relation that tasks compute independently of each other. */
export interface Fragment {
  /** The leaves are scans, session relations, constants and outputs of other stages (`input`). */
  readonly relation: Relation;
  readonly placement: Placement;
  /**
   * For `hash`: lists of columns by which the rows are hashed. If there are several lists, each of them
   * applies.
   */
  readonly hashKeyChoices: readonly (readonly number[])[];
  /** For `output`: the stage that is read, and the positions of the fragment's columns in its output. */
  readonly output?: OutputOrigin | undefined;
  /** For `source`: the key whose ranges divide the rows. */
  readonly keyed?: KeyedColumns | undefined;
  /** For `source`: the stage whose tasks are forwarded to the tasks of this fragment. */
  readonly forwardedFrom?: StageId | undefined;
}

/**
 * Rows with equal values of one of the columns are in the same task, together with the rows with this key
 * from all tables of the domain.
 */
export interface KeyedColumns {
  readonly domain: string;
  /** The positions of columns that all hold the key; at least one. */
  readonly columns: readonly number[];
}

/** A fragment by ranges of a key; the outputs that it reads are not forwarded before `readForwarded`. */
export type KeyedFragment = Fragment & {
  readonly keyed: KeyedColumns;
  /** Ids of the inputs that have to be forwarded. */
  readonly forwarded: readonly number[];
};

export interface OutputOrigin {
  readonly stage: StageId;
  /** The id of the `input` relation whose exchange mode is still open. */
  readonly input: number;
  readonly columns: readonly (number | undefined)[];
}

/** A relation as the union of its fragments. */
export interface Placed {
  readonly relation: Relation;
  readonly fragments: readonly Fragment[];
}

export const placedAs = (relation: Relation, ...fragments: readonly Fragment[]): Placed => ({
  relation,
  fragments,
});

/**
 * Adds an operator that leaves each row in its task.
 * @param sources for each column of the operator, the input column that it passes through, or undefined for a
 * computed column
 */
export function withOperator(
  fragment: Fragment,
  relation: Relation,
  sources: readonly (number | undefined)[],
): Fragment {
  const { output } = fragment;
  const hashed = fragment.hashKeyChoices.flatMap((keys) => {
    const places = keys.map((key) => sources.indexOf(key));
    return places.includes(-1) ? [] : [places];
  });
  return {
    ...fragment,
    relation,
    hashKeyChoices: hashed,
    keyed: keyedBy(
      fragment.keyed,
      [...sources.keys()].filter((i) => fragment.keyed?.columns.includes(sources[i] ?? -1)),
    ),
    ...(output === undefined
      ? {}
      : {
          output: {
            ...output,
            columns: sources.map((source) => (source === undefined ? undefined : output.columns[source])),
          },
        }),
  };
}

/** The same keys in other columns; undefined if no column is left. */
export const keyedBy = (
  keyed: KeyedColumns | undefined,
  columns: readonly number[],
): KeyedColumns | undefined =>
  keyed === undefined || columns.length === 0 ? undefined : { domain: keyed.domain, columns };

/** The domain by whose keys all fragments are divided. */
export function commonDomain(fragments: readonly Fragment[]): string | undefined {
  const domain = fragments[0]?.keyed?.domain;
  const isDivided = fragments.every(
    ({ placement, keyed }) => placement === 'source' && keyed?.domain === domain,
  );
  return isDivided ? domain : undefined;
}

/** The key columns that all fragments are divided by. */
export function commonKeys(fragments: readonly Fragment[]): KeyedColumns | undefined {
  const [first, ...others] = fragments;
  if (first?.keyed === undefined || commonDomain(fragments) === undefined) return undefined;
  const columns = first.keyed.columns.filter((column) =>
    others.every(({ keyed }) => keyed!.columns.includes(column)),
  );
  return keyedBy(first.keyed, columns);
}

export const sameColumns = (relation: Relation): readonly number[] => [...relation.columns.keys()];

export const expressionSources = (expressions: readonly PlanExpression[]): readonly (number | undefined)[] =>
  expressions.map(plainReference);

/** The only fragment of a relation that is computed in one place; undefined if there are several or it is partitioned. */
export function singleFragment({ fragments }: Placed): Fragment | undefined {
  const [only] = fragments;
  return fragments.length === 1 &&
    only !== undefined &&
    /^(?:replicated|single|coordinator)$/.test(only.placement)
    ? only
    : undefined;
}

/** The placement of an operator over several fragments that are each computed in one place. */
export function commonPlacement(fragments: readonly Fragment[]): 'replicated' | 'single' | 'coordinator' {
  if (fragments.some(({ placement }) => placement === 'coordinator')) return 'coordinator';
  return fragments.some(({ placement }) => placement === 'single') ? 'single' : 'replicated';
}

export const sameKeys = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((key, i) => key === b[i]);

/**
 * Places an input of a relation.
 * @param isResult whether its rows are (nearly) those of the query result
 */
export type Place = (relation: Relation, isResult?: boolean) => Placed;
