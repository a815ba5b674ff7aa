import type { JoinRelation } from '../../relational/relation.ts';
import { unionAll } from '../tree/build.ts';
import { equalKeys } from './equal-keys.ts';
import { type Fragment, type KeyedColumns, keyedBy, type Placed } from './fragment.ts';

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

/** What all fragments are divided by. */
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

/** The sides of a join whose rows are in the same task as all rows that they match. */
export interface CoLocatedSides {
  readonly left: Fragment & { readonly keyed: KeyedColumns };
  readonly right: Fragment & { readonly keyed: KeyedColumns };
  /** A column that both are divided by, in each. */
  readonly keys: { readonly left: number; readonly right: number };
}

/**
 * Joins tables by the key by whose ranges both are divided, where they are.
 *
 *     join k              →    join k                        one task: k from 1 to 1,000 in both
 *       scan a (source)          scan a (source, by k)
 *       scan b (source)          scan b (source, by k)
 */
export function coLocatedSides(join: JoinRelation, left: Placed, right: Placed): CoLocatedSides | undefined {
  for (const pair of equalKeys(join)) {
    const sides = {
      left: coLocatedWithin(left, new Set([pair.left])),
      right: coLocatedWithin(right, new Set([pair.right])),
    };
    if (sides.left === undefined || sides.left.keyed.domain !== sides.right?.keyed.domain) continue;
    return { left: sides.left, right: sides.right, keys: pair };
  }
  return undefined;
}
