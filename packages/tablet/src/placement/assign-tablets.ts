import { createHash } from 'node:crypto';
import type { Tablet } from '@tessera/catalog';
import type { RowRange } from '../vector/deleted-rows.ts';
import type { TabletKeys } from './key-range.ts';
import { NodePreference } from './node-preference.ts';
import { type Placement, placeTablets } from './place-tablets.ts';

/** A tablet of a scan. Implementations may have further properties. */
export interface AssignableTablet {
  readonly tablet: Tablet;
  /** The rows to read, as ascending ranges; absent means all. */
  readonly rows?: readonly RowRange[] | undefined;
  /** The keys whose rows are to be read; absent means all. */
  readonly keys?: TabletKeys | undefined;
}

/** The part of a scan that one node reads. */
export interface TabletShare<N, T> {
  readonly node: N;
  readonly tablets: readonly T[];
  /**
   * The identity of the node's share of the table, from which `tablets` are chosen: equal ids mean equal
   * shares.
   */
  readonly shareId: string;
}

/**
 * Divides a scan of some tablets among nodes. Each tablet is read where `placeTablets` puts it among all
 * tablets of the table. Nodes without tablets are left out.
 * @param all the tablets of the table; the same list object for the same contents, so that its placement is
 * computed once
 * @param chosen the tablets of `all` that the scan needs; the same list and nodes give the same shares
 */
export function assignTablets<N extends { readonly name: string }, T extends AssignableTablet>(
  all: readonly Tablet[],
  chosen: readonly T[],
  nodes: readonly N[],
  granularity: number,
): TabletShare<N, T>[] {
  const names = nodes.map(({ name }) => name).sort();
  const shares = sharesOf(all, chosen, names, granularity);
  return nodes.flatMap((node) => {
    const tablets = shares[names.indexOf(node.name)]!;
    return tablets.length === 0 ? [] : [{ node, tablets, shareId: shareIdOf(names, node.name, granularity) }];
  });
}

/**
 * Must be increased whenever `placeTablets` returns other places, so that nodes of two versions never mistake
 * one share for another.
 */
const PLACEMENT_VERSION = 1;

function shareIdOf(names: readonly string[], name: string, granularity: number): string {
  const placed = [PLACEMENT_VERSION, granularity, ...names].join('\n');
  return `${createHash('sha256').update(placed).digest('base64url').slice(0, 16)}/${name}`;
}

interface KnownPlacement {
  readonly names: string;
  readonly granularity: number;
  readonly placement: Placement;
}

const placements = new WeakMap<readonly Tablet[], KnownPlacement>();
let lastPreference: { readonly names: string; readonly preference: NodePreference } | undefined;

function placementOf(all: readonly Tablet[], names: readonly string[], granularity: number): Placement {
  const key = names.join('\n');
  const known = placements.get(all);
  if (known?.names === key && known.granularity === granularity) return known.placement;
  if (lastPreference?.names !== key) lastPreference = { names: key, preference: new NodePreference(names) };
  const placement = placeTablets(all, names, granularity, lastPreference.preference);
  placements.set(all, { names: key, granularity, placement });
  return placement;
}

interface KnownShares {
  readonly placement: Placement;
  readonly shares: readonly (readonly AssignableTablet[])[];
}

const knownShares = new WeakMap<readonly AssignableTablet[], KnownShares>();

/** The shares by position in `names`. */
function sharesOf<T extends AssignableTablet>(
  all: readonly Tablet[],
  chosen: readonly T[],
  names: readonly string[],
  granularity: number,
): readonly (readonly T[])[] {
  const placement = placementOf(all, names, granularity);
  const known = knownShares.get(chosen);
  if (known?.placement === placement) return known.shares as readonly (readonly T[])[];
  const shares = names.map((): T[] => []);
  for (const scan of chosen) {
    for (const { node, rows } of placement.partsOf(scan.tablet.id)) {
      if (rows === undefined) shares[node]!.push(scan);
      else shares[node]!.push({ ...scan, rows: [rows] });
    }
  }
  knownShares.set(chosen, { placement, shares });
  return shares;
}
