import type { PlanExpression } from '../../plan-nodes.ts';
import type { Relation } from '../../relational/relation.ts';
import type { StageId } from '../distributed-plan.ts';
import { plainReference } from '../tree/expressions.ts';

/**
 * Where rows are.
 * `whole`: every task that computes the fragment has all its rows, and the same ones; `shards`: each row in one of the tasks that
 * share the tablets of tables out among them; `buckets`: each row in the task that has the bucket of its keys; `single`: all
 * rows in one task, since another would compute others; `coordinator`: in the session of the query; `output`: left by a stage,
 * and it is open how they will be read.
 */
export type Placement = 'whole' | 'shards' | 'buckets' | 'single' | 'coordinator' | 'output';

/** A relation that tasks compute without hearing of each other. */
export interface Fragment {
  /** Its leaves are scans, local relations, constants and rows of other stages (`input`). */
  readonly relation: Relation;
  readonly placement: Placement;
  /** Of `buckets`: columns by whose values, in this order, the rows are hashed; each of the choices is true. */
  readonly hashed: readonly (readonly number[])[];
  /** Of `output`: what is read, and the positions of the fragment's columns in it. */
  readonly output?: OutputOrigin | undefined;
  /** Of `shards`: they are those of the tasks of this stage. */
  readonly forwarded?: StageId | undefined;
}

export interface OutputOrigin {
  readonly stage: StageId;
  /** Of the `input` relation, whose mode is still open. */
  readonly input: number;
  readonly columns: readonly (number | undefined)[];
}

/** The rows of a relation: those of all fragments together. */
export interface Placed {
  readonly relation: Relation;
  readonly fragments: readonly Fragment[];
}

export const placedAs = (relation: Relation, ...fragments: readonly Fragment[]): Placed => ({
  relation,
  fragments,
});

/**
 * The fragment with something on top that keeps each row where it is. `sources` tells for each new column the old one that it
 * is; undefined for others.
 */
export function over(
  fragment: Fragment,
  relation: Relation,
  sources: readonly (number | undefined)[],
): Fragment {
  const { output } = fragment;
  const hashed = fragment.hashed.flatMap((keys) => {
    const places = keys.map((key) => sources.indexOf(key));
    return places.includes(-1) ? [] : [places];
  });
  return {
    ...fragment,
    relation,
    hashed,
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

export const sameColumns = (relation: Relation): readonly number[] => [...relation.columns.keys()];

export const expressionSources = (expressions: readonly PlanExpression[]): readonly (number | undefined)[] =>
  expressions.map(plainReference);

/** The one fragment, when it is computed in one place. */
export function inOnePlace({ fragments }: Placed): Fragment | undefined {
  const [only] = fragments;
  return fragments.length === 1 && only !== undefined && /^(?:whole|single|coordinator)$/.test(only.placement)
    ? only
    : undefined;
}

/** Where a fragment is computed that reads several that are each computed in one place. */
export function placeOfAll(fragments: readonly Fragment[]): 'whole' | 'single' | 'coordinator' {
  if (fragments.some(({ placement }) => placement === 'coordinator')) return 'coordinator';
  return fragments.some(({ placement }) => placement === 'single') ? 'single' : 'whole';
}

export const sameKeys = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((key, i) => key === b[i]);

/** Places relations below the one that a rule is about. `isResult`: its rows are those of the query, or nearly. */
export type Place = (relation: Relation, isResult?: boolean) => Placed;
