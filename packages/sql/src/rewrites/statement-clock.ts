import { cast, constant, type Expression, type TypeNode } from '../tree.ts';

const INSTANT: TypeNode = { id: 'TIMESTAMP WITH TIME ZONE', type_info: null };

/** The value of each clock keyword, computed from the instant of the statement. */
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

/** Keywords that the kernel takes for functions even without parentheses. */
const BARE = new Set(['current_timestamp', 'current_date', 'localtimestamp']);

/** Functions that read the clock and are not replaced. */
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
 * `ts > now()` → `ts > TIMESTAMPTZ '2026-11-21 06:30:00.123+00'`: the statement is planned by one kernel and
 * executed by another. Without this rule, a condition on time could prune rows by the first clock that match
 * by the second.
 */
export class StatementClock {
  readonly #instant: Expression;
  readonly #isColumn: (name: string) => boolean;
  /** Whether a clock value was inserted, so that the plan is only valid for this statement. */
  wasRead = false;
  /** Whether the statement reads the kernel's own clock. */
  wasBypassed = false;

  /**
   * @param isColumn whether a name may be a column of the query; a keyword without parentheses is then that
   * column
   */
  constructor(now: Date, isColumn: (name: string) => boolean) {
    this.#instant = cast(constant(now.toISOString()), INSTANT);
    this.#isColumn = isColumn;
  }

  /** Replaces a clock keyword by its value; other nodes are returned unchanged. */
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
