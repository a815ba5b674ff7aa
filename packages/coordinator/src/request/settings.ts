import { nearestName, parseTraceparent, requireValidText, TesseraError } from '@tessera/common';

/**
 * The settings of a statement. Every name here is a query-string parameter, a `SET`, and a `WITH (…)` suffix.
 */
export interface Settings {
  readonly timezone: string;
  /** In milliseconds; 0 means no limit. */
  readonly statement_timeout: number;
  /** The maximum number of rows; 0 means no limit. */
  readonly max_result_rows: number;
  readonly max_threads: number;
  readonly cancel_query_on_connection_drop: 'none' | 'all' | 'type_dependent';
  readonly enable_result_cache: boolean;
  readonly enable_subresult_cache: boolean;
  /** Queries whose tables have fewer rows reuse no rows of their parts. */
  readonly subresult_min_rows: number;
  readonly enable_scan_cache: boolean;
  readonly tablet_min_size_bytes: number;
  readonly tablet_max_size_bytes: number;
  readonly query_label: string;
  readonly standard_conforming_strings: boolean;
  readonly enable_multi_query_requests: boolean;
  /** The results that the answer to a request with several statements contains. */
  readonly multi_query_results: 'last' | 'all';
  /** Whether a query may read the partial rows of aggregating indexes instead of the rows of their tables. */
  readonly enable_aggregating_indexes: boolean;
  /** Whether a query may use several nodes. */
  readonly enable_distributed_execution: boolean;
  /** The number of nodes that run every query; 0 lets the planner decide. */
  readonly nodes_per_query: number;
  /** A query whose tables have fewer stored bytes runs on one node; with 0, every query runs on all nodes. */
  readonly min_distributed_bytes: number;
  /** The maximum size in memory of a join side that is sent to every node. */
  readonly broadcast_limit_bytes: number;
  /**
   * Where rows without a match are filtered out before they are sent: by estimate, wherever possible, or
   * nowhere.
   */
  readonly join_key_filters: 'auto' | 'always' | 'never';
  /** Only a table with fewer stored bytes may be read whole by every node. */
  readonly whole_table_bytes: number;
  /**
   * What happens to PRIMARY KEY, UNIQUE and FOREIGN KEY, which are not enforced: they are recorded with a
   * notice, or refused.
   */
  readonly unenforced_constraints: 'notice' | 'refuse';
  /** The span that the statement belongs to, as in W3C Trace Context; empty if there is none. */
  readonly traceparent: string;
}

export type SettingName = keyof Settings;

interface SettingKind<T> {
  readonly expected: string;
  /** The parsed value; undefined if the text is invalid. */
  parse(text: string): T | undefined;
}

const boolean: SettingKind<boolean> = {
  expected: 'a boolean (true, false, on, off, 1, 0)',
  parse: (text) => {
    const word = text.toLowerCase();
    if (word === 'true' || word === 'on' || word === '1') return true;
    if (word === 'false' || word === 'off' || word === '0') return false;
    return undefined;
  },
};

const count: SettingKind<number> = {
  expected: 'an integer ≥ 0',
  parse: (text) => {
    const value = Number(text);
    return text.trim() !== '' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  },
};

const text: SettingKind<string> = { expected: 'text', parse: (value) => value };

const timeZone: SettingKind<string> = {
  expected: 'the name of a time zone, as in Europe/Berlin',
  parse: (value) => {
    try {
      // The runtime and the kernel use the same time zone database; its spelling is the canonical one.
      const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions();
      // Only the runtime accepts offsets as zones.
      return /^[+-]/.test(timeZone) ? undefined : timeZone;
    } catch {
      return undefined;
    }
  },
};

const oneOf = <T extends string>(...values: readonly T[]): SettingKind<T> => ({
  expected: `one of ${values.join(', ')}`,
  parse: (value) => values.find((v) => v === value.toLowerCase()),
});

const KINDS: { readonly [N in SettingName]: SettingKind<Settings[N]> } = {
  timezone: timeZone,
  statement_timeout: count,
  max_result_rows: count,
  max_threads: count,
  cancel_query_on_connection_drop: oneOf('none', 'all', 'type_dependent'),
  enable_result_cache: boolean,
  enable_subresult_cache: boolean,
  subresult_min_rows: count,
  enable_scan_cache: boolean,
  tablet_min_size_bytes: count,
  tablet_max_size_bytes: count,
  query_label: text,
  standard_conforming_strings: boolean,
  enable_multi_query_requests: boolean,
  multi_query_results: oneOf('last', 'all'),
  enable_aggregating_indexes: boolean,
  enable_distributed_execution: boolean,
  nodes_per_query: count,
  min_distributed_bytes: count,
  broadcast_limit_bytes: count,
  join_key_filters: oneOf('auto', 'always', 'never'),
  whole_table_bytes: count,
  unenforced_constraints: oneOf('notice', 'refuse'),
  traceparent: {
    expected:
      'empty or a traceparent: 00-<32 hexadecimal digits>-<16 hexadecimal digits>-<2 hexadecimal digits>',
    parse: (value) => (value === '' || parseTraceparent(value) !== undefined ? value : undefined),
  },
};

/** The descriptions of the settings, in Markdown with links from the reference. */
export const SETTING_MEANINGS: Readonly<Record<SettingName, string>> = {
  timezone: 'time zone of `TIMESTAMPTZ` values and of `now()`',
  statement_timeout: 'time limit of a statement in milliseconds; 0 means no limit',
  max_result_rows:
    'a result is truncated to this number of rows, as by LIMIT; 0 means no limit. If RETURNING has more rows, the statement fails',
  max_threads:
    'the most threads that a statement uses on each node; 0, and numbers that are not below `execution.max_threads` of the [configuration](../configuration.md), set no limit of their own. A statement with a limit reads tables from files, not from memory ([threads](../operations.md#threads-of-a-statement))',
  cancel_query_on_connection_drop:
    'which statements are cancelled when their client disconnects: `none`, `all`, or only those that do not change data (`type_dependent`)',
  enable_result_cache:
    'whether a query may be answered with the result of an earlier, equal query ([result cache](../result-cache.md))',
  enable_subresult_cache:
    'whether a query may read rows of a part, such as a CTE, that an earlier query has computed ([parts of queries](../result-cache.md#parts-of-queries))',
  subresult_min_rows: 'queries whose tables have fewer rows together reuse no rows of parts',
  enable_scan_cache:
    'whether a statement reads tables from memory, as far as they are there, and has the node load what it reads; if `false`, it reads the files of tablets',
  tablet_min_size_bytes: 'minimum size of the tablets that a statement writes, if it has enough rows',
  tablet_max_size_bytes: 'maximum size of the tablets that a statement writes',
  query_label: 'a label that is returned with the response and recorded in the query history',
  standard_conforming_strings:
    "whether a backslash in a string `'…'` stands for itself; if `false`, it escapes the next character, as in `E'…'`",
  enable_multi_query_requests:
    'allows several statements in one request; `multi_query_results` chooses which results are returned',
  multi_query_results:
    'which results a request with several statements returns: only the last one (`last`), or all of them in order (`all`)',
  enable_aggregating_indexes:
    'whether a query may read the partial rows of aggregating indexes instead of the rows of their tables',
  enable_distributed_execution: 'whether a query may use all nodes of the engine',
  nodes_per_query:
    'number of nodes that execute each query, limited by those that are running; 0 lets the planner choose between one node and all of them by estimated CPU time',
  min_distributed_bytes:
    'a query whose tables have fewer stored bytes than this runs on one node, without being planned for several; 0 runs every query on all nodes',
  broadcast_limit_bytes: 'maximum size in bytes of one side of a join for it to be sent to every node',
  join_key_filters:
    'whether rows of one side of a join that have no match on the other side are left out before rows are sent to other nodes: where the estimates say that this saves time (`auto`), wherever it is possible (`always`), or nowhere (`never`)',
  whole_table_bytes:
    'every node may read all of a table with fewer stored bytes than this, if that costs less than an exchange; `DIMENSION` tables may always be read this way',
  traceparent:
    'the span of the client that statements belong to, in the form of W3C Trace Context ([tracing](../tracing.md)); over HTTP, the header `traceparent` has the same effect',
  unenforced_constraints:
    'PRIMARY KEY, UNIQUE and FOREIGN KEY are not enforced: `notice` records them and returns a notice, `refuse` rejects them',
};

export const DEFAULT_SETTINGS: Settings = Object.freeze({
  timezone: 'UTC',
  statement_timeout: 0,
  max_result_rows: 0,
  max_threads: 0,
  cancel_query_on_connection_drop: 'type_dependent',
  enable_result_cache: true,
  enable_subresult_cache: true,
  subresult_min_rows: 100_000,
  enable_scan_cache: true,
  tablet_min_size_bytes: 134_217_728,
  tablet_max_size_bytes: 268_435_456,
  query_label: '',
  standard_conforming_strings: true,
  enable_multi_query_requests: false,
  multi_query_results: 'last',
  enable_aggregating_indexes: true,
  enable_distributed_execution: true,
  nodes_per_query: 0,
  min_distributed_bytes: 16_777_216,
  broadcast_limit_bytes: 67_108_864,
  join_key_filters: 'auto',
  whole_table_bytes: 1_073_741_824,
  unenforced_constraints: 'notice',
  traceparent: '',
});

/** The description of a setting as a plain sentence, for SHOW ALL. */
export function settingDescription(name: SettingName): string {
  const text = SETTING_MEANINGS[name]
    .replaceAll(/ \(\[[^\]]*\]\([^)]*\)\)/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '');
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}

/** The valid values of a setting, in words. */
export const expectedOfSetting = (name: SettingName): string => KINDS[name].expected;

export const SETTING_NAMES = Object.keys(KINDS) as readonly SettingName[];

/**
 * `base` with the given settings applied in order.
 * @throws TesseraError UNKNOWN_SETTING, INVALID_SETTING
 */
export function withSettings(base: Settings, changes: Iterable<readonly [string, string]>): Settings {
  const result: Record<string, unknown> = { ...base };
  for (const [name, value] of changes) {
    const key = requireSettingName(name);
    requireValidText(value, `the value of ${key}`);
    const parsed = KINDS[key].parse(value);
    if (parsed === undefined) {
      throw TesseraError.of('INVALID_SETTING', { name: key, value, expected: KINDS[key].expected });
    }
    result[key] = parsed;
  }
  return Object.freeze(result) as unknown as Settings;
}

export const isSettingName = (name: string): name is SettingName => Object.hasOwn(KINDS, name);

/** @throws TesseraError UNKNOWN_SETTING */
export function requireSettingName(name: string): SettingName {
  const key = name.toLowerCase();
  if (isSettingName(key)) return key;
  const nearest = nearestName(key, SETTING_NAMES);
  const resolution = nearest === undefined ? 'SHOW ALL lists the settings.' : undefined;
  throw TesseraError.of('UNKNOWN_SETTING', { name, nearest }, { resolution });
}
