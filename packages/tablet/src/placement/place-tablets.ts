import type { Tablet, TabletId } from '@tessera/catalog';
import type { RowRange } from '../vector/deleted-rows.ts';
import { NodePreference, type Preferred } from './node-preference.ts';

/** Rows of a tablet that one node reads. */
interface PlacedPart {
  /** The position in the list of nodes. */
  readonly node: number;
  /** Undefined means the whole tablet. */
  readonly rows?: RowRange | undefined;
}

/** The places where the tablets of a table are read. */
export interface Placement {
  partsOf(tablet: TabletId): readonly PlacedPart[];
}

/**
 * A node may take this many times its even share, so that a tablet can mostly stay where it was when other
 * tablets or nodes change.
 */
const SLACK = 1.05;
/**
 * The capacity of a node grows in steps of this factor, so that a table that grows a little keeps its
 * placement.
 */
const STEP = 1.05;
/** A tablet larger than this fraction of a node's capacity is divided if a node is full. */
const CUT_FROM = 1 / 16;
/**
 * Tablets are divided between granules if a granule is at most this fraction of a node's capacity, otherwise at
 * multiples of this fraction.
 */
const CUT_UNIT = 1 / 8;
/** The kernel's vector size; cuts at other rows would cost more. */
const VECTOR_ROWS = 2_048;
/** A part of a cut tablet has at least this fraction of a node's capacity. */
const LEAST_PART = 1 / 64;

/**
 * Places the tablets of a table on nodes by rendezvous hashing of the tablet's id and the node's name, with
 * an upper bound on the rows of a node. If the preferred node is full, the next one takes the tablet or the
 * rest of its rows. The result depends only on the tablets and names, not on their order. Few tablets move
 * when a node joins or leaves.
 * @param granularity the rows of a granule
 */
export function placeTablets(
  tablets: readonly Tablet[],
  nodes: readonly string[],
  granularity: number,
  preference = new NodePreference(nodes),
): Placement {
  const only = [{ node: 0 }];
  if (nodes.length === 1) return { partsOf: () => only };
  const room = new Room(tablets, nodes.length, granularity);
  const wholes = nodes.map((_, node): readonly PlacedPart[] => [{ node }]);
  const parts = new Map<TabletId, readonly PlacedPart[]>();
  for (const { id, rows } of inOrderOfId(tablets)) {
    const preferred = preference.of(id);
    const whole = room.takeWhole(rows, preferred);
    parts.set(id, whole === undefined ? room.takeParts(rows, preferred) : wholes[whole]!);
  }
  return { partsOf: (id) => parts.get(id) ?? [] };
}

/** Sorts by id: new tablets come last and do not change the places of older ones. */
function inOrderOfId(tablets: readonly Tablet[]): readonly Tablet[] {
  const isSorted = tablets.every((tablet, i) => i === 0 || tablets[i - 1]!.id < tablet.id);
  return isSorted ? tablets : tablets.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** The rows that nodes have and may have. */
class Room {
  readonly #rows: Float64Array;
  readonly #bound: number;
  readonly #unit: number;

  constructor(tablets: readonly Tablet[], nodes: number, granularity: number) {
    const mean = tablets.reduce((sum, { rows }) => sum + rows, 0) / nodes;
    const steps = Math.ceil(Math.log(Math.max(1, mean * SLACK)) / Math.log(STEP));
    this.#bound = Math.max(VECTOR_ROWS, STEP ** steps);
    const largestUnit = Math.floor((this.#bound * CUT_UNIT) / VECTOR_ROWS) * VECTOR_ROWS;
    this.#unit = Math.min(granularity, Math.max(VECTOR_ROWS, largestUnit));
    this.#rows = new Float64Array(nodes);
  }

  /** The node that takes all rows of a tablet; undefined if the tablet has to be cut. */
  takeWhole(rows: number, preferred: Preferred): number | undefined {
    const isSmall = rows <= Math.max(VECTOR_ROWS, this.#bound * CUT_FROM);
    for (let rank = 0, node = preferred(0); node !== undefined; node = preferred(++rank)) {
      const free = this.#bound - this.#rows[node]!;
      if (rows <= free || (isSmall && free > 0)) {
        this.#rows[node]! += rows;
        return node;
      }
      // A large tablet is divided at the first node that has room for a part.
      if (!isSmall && this.#partFor(node) > 0) return undefined;
    }
    return undefined;
  }

  takeParts(rows: number, preferred: Preferred): PlacedPart[] {
    const parts: PlacedPart[] = [];
    let from = 0;
    for (let rank = 0, node = preferred(0); node !== undefined; node = preferred(++rank)) {
      const to = Math.min(rows, from + this.#partFor(node));
      if (to === from) continue;
      parts.push({ node, rows: { start: from, end: to } });
      this.#rows[node]! += to - from;
      from = to;
      if (from === rows) return parts;
    }
    const node = this.#rows.indexOf(Math.min(...this.#rows));
    this.#rows[node]! += rows - from;
    return [...parts, { node, rows: { start: from, end: rows } }];
  }

  /** The number of rows that a node takes of a cut tablet. */
  #partFor(node: number): number {
    const free = this.#bound - this.#rows[node]!;
    if (free < this.#bound * LEAST_PART) return 0;
    return Math.round(free / this.#unit) * this.#unit;
  }
}
