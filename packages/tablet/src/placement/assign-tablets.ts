import { createHash } from 'node:crypto';
import type { Tablet } from '@tessera/catalog';
import type { RowRange } from '../vector/deleted-rows.ts';
import type { TabletKeys } from './key-range.ts';
import { NodePreference } from './node-preference.ts';
import { type Placement, placeTablets } from './place-tablets.ts';

/** A tablet of a scan, whatever else is known of it. */
export interface AssignableTablet {
  readonly tablet: Tablet;
  /** Rows that are to be read: ascending ranges; absent: all. */
  readonly rows?: readonly RowRange[] | undefined;
  /** Keys whose rows are to be read; absent: all. */
  readonly keys?: TabletKeys | undefined;
}

/** What one node reads of a scan. */
export interface TabletShare<N, T> {
  readonly node: N;
  readonly tablets: readonly T[];
  /** Which part of the table the node is to keep, of which `tablets` are a choice or all: the same id, the same part. */
  readonly shareId: string;
}

/**
 * Spreads a scan of some tablets over nodes, each where `placeTablets` puts it among all tablets of the table. Nodes without
 * tablets are left out.
 *
 * @param all of the table; the same list for the same contents, so that its placement is computed once
 * @param chosen of `all`, what the scan needs; for the same list and nodes the same shares
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

/** Grows whenever `placeTablets` gives other places: nodes of two versions must not take one part for the other. */
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

/** By position in `names`. */
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
