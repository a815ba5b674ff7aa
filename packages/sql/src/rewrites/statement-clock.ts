import { cast, constant, type Expression, type TypeNode } from '../tree.ts';

const INSTANT: TypeNode = { id: 'TIMESTAMP WITH TIME ZONE', type_info: null };

/** The value of each clock keyword, computed from the instant of the statement. */
const PINNED: Readonly<Record<string, (instant: Expression) => Expression>> = {
  now: (instant) => instant,
  transaction_timestamp: (instant) => instant,
  get_current_timestamp: (instant) => instant,
  current_timestamp: (instant) => instant,
  localtimestamp: (instant) => cast(instant, 'TIMESTAMP'),
  current_localtimestamp: (instant) => cast(instant, 'TIMESTAMP'),
};

/** Keywords whose value is the date of the statement in the time zone of its session. */
const DATES = new Set(['current_date', 'today']);

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
  readonly #now: Date;
  readonly #instant: Expression;
  readonly #isColumn: (name: string) => boolean;
  /** Whether a clock value other than a date was inserted, so that the plan is only valid for this statement. */
  wasRead = false;
  /** The date that was inserted, as in 2026-11-21; undefined if none was. */
  date: string | undefined;
  /** Whether the statement reads the kernel's own clock. */
  wasBypassed = false;

  /**
   * @param isColumn whether a name may be a column of the query; a keyword without parentheses is then that
   * column
   */
  constructor(now: Date, isColumn: (name: string) => boolean) {
    this.#now = now;
    this.#instant = cast(constant(now.toISOString()), INSTANT);
    this.#isColumn = isColumn;
  }

  /** Replaces a clock keyword by its value; other nodes are returned unchanged. */
  pin(node: Expression, timeZone: string): Expression {
    const name = wordOf(node);
    if (name === undefined) return node;
    if (node.class === 'COLUMN_REF' && (!BARE.has(name) || this.#isColumn(name))) {
      this.wasBypassed ||= FREE.has(name);
      return node;
    }
    const { alias, query_location } = node;
    if (DATES.has(name)) {
      this.date = dateIn(timeZone, this.#now);
      return { ...cast(constant(this.date), 'DATE'), alias, query_location };
    }
    const pinned = Object.hasOwn(PINNED, name) ? PINNED[name] : undefined;
    if (pinned === undefined) {
      this.wasBypassed ||= FREE.has(name);
      return node;
    }
    this.wasRead = true;
    return { ...pinned(this.#instant), alias, query_location };
  }
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** The date of an instant in a time zone, as in 2026-11-21. */
export function dateIn(timeZone: string, instant: Date): string {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-CA', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
    formats.set(timeZone, format);
  }
  return format.format(instant);
}

function wordOf(node: Expression): string | undefined {
  if (node.class === 'FUNCTION') return node.function_name.toLowerCase();
  if (node.class !== 'COLUMN_REF' || node.column_names.length !== 1) return undefined;
  return node.column_names[0]!.toLowerCase();
}
