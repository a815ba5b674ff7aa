import { cast, constant, type Expression, type TypeNode } from '../tree.ts';

const INSTANT: TypeNode = { id: 'TIMESTAMP WITH TIME ZONE', type_info: null };

/** What each word for the time of the statement is, of the instant. */
const PINNED: Readonly<Record<string, (instant: Expression) => Expression>> = {
  now: (instant) => instant,
  transaction_timestamp: (instant) => instant,
  get_current_timestamp: (instant) => instant,
  current_timestamp: (instant) => instant,
  current_date: (instant) => cast(instant, 'DATE'),
  today: (instant) => cast(instant, 'DATE'),
  localtimestamp: (instant) => cast(instant, 'TIMESTAMP'),
  current_localtimestamp: (instant) => cast(instant, 'TIMESTAMP'),
};

/** The kernel takes these for functions also without parentheses. */
const BARE = new Set(['current_timestamp', 'current_date', 'localtimestamp']);

/** Functions that look at the clock and stay as they are. */
const FREE = new Set([
  'age',
  'ago',
  'current_localtime',
  'current_time',
  'get_current_time',
  'localtime',
  'pg_conf_load_time',
  'pg_postmaster_start_time',
]);

/**
 * `ts > now()` → `ts > TIMESTAMPTZ '2026-11-21 06:30:00.123+00'`: the statement is planned by one kernel and run by
 * another, and a condition on the time must not leave out by the one clock what the other lets in.
 */
export class StatementClock {
  readonly #instant: Expression;
  readonly #isColumn: (name: string) => boolean;
  /** What was planned with this clock holds for this statement alone. */
  wasRead = false;
  /** Something looked at the kernel's own clock. */
  wasBypassed = false;

  /** `isColumn`: names that may be columns of the query, which a word without parentheses then is. */
  constructor(now: Date, isColumn: (name: string) => boolean) {
    this.#instant = cast(constant(now.toISOString()), INSTANT);
    this.#isColumn = isColumn;
  }

  /** The expression that stands for a word of the clock; others stay as they are. */
  pin(node: Expression): Expression {
    const name = wordOf(node);
    if (name === undefined) return node;
    if (node.class === 'COLUMN_REF' && (!BARE.has(name) || this.#isColumn(name))) {
      this.wasBypassed ||= FREE.has(name);
      return node;
    }
    const pinned = Object.hasOwn(PINNED, name) ? PINNED[name] : undefined;
    if (pinned === undefined) {
      this.wasBypassed ||= FREE.has(name);
      return node;
    }
    this.wasRead = true;
    const { alias, query_location } = node;
    return { ...pinned(this.#instant), alias, query_location };
  }
}

function wordOf(node: Expression): string | undefined {
  if (node.class === 'FUNCTION') return node.function_name.toLowerCase();
  if (node.class !== 'COLUMN_REF' || node.column_names.length !== 1) return undefined;
  return node.column_names[0]!.toLowerCase();
}
