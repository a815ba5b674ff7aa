/** A server parameter that the session keeps and that no statement of the engine reads. */
export interface ParameterKind {
  /** The spelling that SHOW ALL and ParameterStatus use. */
  readonly name: string;
  readonly initial: string;
  readonly description: string;
  /** Whether clients are notified of changes (ParameterStatus). */
  readonly reported?: true;
  /** Whether the parameter is read-only. */
  readonly fixed?: true;
  readonly expected?: string;
  /** Normalises a value; undefined if it is invalid. If absent, any text is valid. */
  parse?(value: string): string | undefined;
}

const boolean = (value: string): string | undefined => {
  if (/^(?:on|true|yes|1|t|y)$/i.test(value)) return 'on';
  if (/^(?:off|false|no|0|f|n)$/i.test(value)) return 'off';
  return undefined;
};

const oneOf =
  (...values: readonly string[]) =>
  (value: string): string | undefined =>
    values.find((v) => v === value.toLowerCase());

const wholeNumber = (min: number, max: number) => (value: string) => {
  const number = Number(value);
  return value.trim() !== '' && Number.isInteger(number) && number >= min && number <= max
    ? String(number)
    : undefined;
};

const UNITS: Readonly<Record<string, number>> = {
  us: 0.001,
  ms: 1,
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `5s`, `500`, `1 min` → milliseconds; undefined for an invalid duration. */
export function milliseconds(value: string): number | undefined {
  const [, digits, unit = 'ms'] = /^\s*(\d+(?:\.\d+)?)\s*(us|ms|s|min|h|d)?\s*$/.exec(value) ?? [];
  return digits === undefined ? undefined : Math.round(Number(digits) * UNITS[unit]!);
}

/** A duration as PostgreSQL shows it: in the largest unit that needs no fraction. */
export function shownTime(ms: number): string {
  if (ms === 0) return '0';
  const unit = ['d', 'h', 'min', 's'].find((name) => ms % UNITS[name]! === 0) ?? 'ms';
  return `${ms / UNITS[unit]!}${unit}`;
}

/**
 * Validates a search path. Schemas without user tables may precede `public`. An empty path is accepted,
 * because its statements qualify all names.
 */
function searchPath(value: string): string | undefined {
  const names = value.split(',').map((name) => name.trim().replace(/^(["'])(.*)\1$/, '$2'));
  const first = names.find((name) => !['', '$user', 'pg_catalog', 'pg_temp'].includes(name));
  return first === undefined || first === 'public' || first === 'information_schema' ? value : undefined;
}

const time = (value: string): string | undefined => {
  const ms = milliseconds(value);
  return ms === undefined ? undefined : shownTime(ms);
};

const utf8 = (value: string): string | undefined =>
  /^["']?(?:utf-?8|unicode)["']?$/i.test(value.trim()) ? 'UTF8' : undefined;

/**
 * Validates DateStyle. Output is always ISO; the order of day and month only affects input, which must also
 * be ISO.
 */
const dateStyle = (value: string): string | undefined => {
  const words = value.split(',').map((word) => word.trim().toUpperCase());
  const isKnown = words.every((word) =>
    /^(?:ISO|DEFAULT|MDY|DMY|YMD|US|EURO|EUROPEAN|NONEUROPEAN)$/.test(word),
  );
  const order = words.find((word) => /^(?:MDY|DMY|YMD)$/.test(word)) ?? 'MDY';
  return isKnown ? `ISO, ${order}` : undefined;
};

const isolation = (value: string): string | undefined =>
  /^(?:read (?:un)?committed|repeatable read|default)$/i.test(value) ? 'repeatable read' : undefined;

const TOLD: readonly ParameterKind[] = [
  {
    name: 'server_encoding',
    initial: 'UTF8',
    reported: true,
    fixed: true,
    description: 'How texts are stored',
  },
  {
    name: 'integer_datetimes',
    initial: 'on',
    reported: true,
    fixed: true,
    description: 'Times are whole microseconds',
  },
  {
    name: 'in_hot_standby',
    initial: 'off',
    reported: true,
    fixed: true,
    description: 'Whether the server only reads',
  },
  {
    name: 'server_version_num',
    initial: '150000',
    fixed: true,
    description: 'The version of PostgreSQL that is spoken',
  },
  { name: 'max_identifier_length', initial: '63', fixed: true, description: 'Bytes of a name, at least' },
  { name: 'max_index_keys', initial: '32', fixed: true, description: 'Columns of an index' },
  { name: 'block_size', initial: '8192', fixed: true, description: 'Of PostgreSQL; tables here are tablets' },
  { name: 'transaction_deferrable', initial: 'off', fixed: true, description: 'Never' },
  { name: 'lc_collate', initial: 'C', fixed: true, description: 'Texts are ordered by their bytes' },
  { name: 'lc_ctype', initial: 'C.UTF-8', fixed: true, description: 'What is a letter' },
  {
    name: 'password_encryption',
    initial: 'scram-sha-256',
    expected: 'scram-sha-256',
    parse: oneOf('scram-sha-256'),
    description: 'How clients hash a new password',
  },
  { name: 'wal_level', initial: 'minimal', fixed: true, description: 'There is no replication' },
];

const KEPT: readonly ParameterKind[] = [
  {
    name: 'application_name',
    initial: '',
    reported: true,
    description: 'The name that the client gives itself',
  },
  {
    name: 'client_encoding',
    initial: 'UTF8',
    reported: true,
    expected: 'UTF8',
    parse: utf8,
    description: 'How texts travel',
  },
  {
    name: 'DateStyle',
    initial: 'ISO, MDY',
    reported: true,
    expected: 'ISO, with MDY, DMY or YMD',
    parse: dateStyle,
    description: 'How dates are written',
  },
  {
    name: 'IntervalStyle',
    initial: 'postgres',
    reported: true,
    expected: 'postgres',
    parse: oneOf('postgres'),
    description: 'How intervals are written',
  },
  {
    name: 'bytea_output',
    initial: 'hex',
    expected: 'hex',
    parse: oneOf('hex'),
    description: 'How bytes are written',
  },
  {
    name: 'extra_float_digits',
    initial: '1',
    expected: 'an integer from -15 to 3',
    parse: wholeNumber(-15, 3),
    description: 'Floating-point numbers are always written so that they read back',
  },
  {
    name: 'client_min_messages',
    initial: 'notice',
    expected: 'debug5 to debug1, log, notice, warning or error',
    parse: oneOf('debug5', 'debug4', 'debug3', 'debug2', 'debug1', 'log', 'notice', 'warning', 'error'),
    description: 'Which notices are sent',
  },
  {
    name: 'role',
    initial: 'none',
    expected: 'none',
    parse: oneOf('none'),
    description: 'Rights are those of all roles of the user',
  },
  {
    name: 'search_path',
    initial: '"$user", public',
    expected:
      'a path with public before other schemas of users (name others where they are used: sales.orders)',
    parse: searchPath,
    description: 'Names without a schema are in public',
  },
  ...(['transaction_isolation', 'default_transaction_isolation'] as const).map((name) => ({
    name,
    initial: 'repeatable read',
    expected: 'a level below serializable',
    parse: isolation,
    description: 'Every transaction has snapshot isolation',
  })),
  {
    name: 'default_transaction_read_only',
    initial: 'off',
    expected: 'a boolean',
    parse: boolean,
    description: 'Transactions that do not say otherwise only read',
  },
  {
    name: 'default_transaction_deferrable',
    initial: 'off',
    expected: 'a boolean',
    parse: boolean,
    description: 'Kept without effect',
  },
  {
    name: 'idle_session_timeout',
    initial: '0',
    expected: 'a time',
    parse: time,
    description: 'How long a client may be silent outside transactions',
  },
  {
    name: 'idle_in_transaction_session_timeout',
    initial: '0',
    expected: 'a time',
    parse: time,
    description: 'How long a client may be silent inside a transaction',
  },
];

/** Parameters that PostgreSQL clients set and that have no effect here. */
const WITHOUT_EFFECT: Readonly<Record<string, string>> = {
  lock_timeout: '0',
  transaction_timeout: '0',
  synchronous_commit: 'on',
  row_security: 'on',
  synchronize_seqscans: 'on',
  jit: 'off',
  work_mem: '4MB',
  maintenance_work_mem: '64MB',
  temp_buffers: '8MB',
  check_function_bodies: 'on',
  escape_string_warning: 'on',
  backslash_quote: 'safe_encoding',
  xmloption: 'content',
  xmlbinary: 'base64',
  quote_all_identifiers: 'off',
  default_tablespace: '',
  temp_tablespaces: '',
  default_table_access_method: 'heap',
  lc_messages: 'C',
  lc_monetary: 'C',
  lc_numeric: 'C',
  lc_time: 'C',
  max_parallel_workers_per_gather: '0',
  geqo: 'on',
  constraint_exclusion: 'partition',
  cursor_tuple_fraction: '0.1',
  plan_cache_mode: 'auto',
  tcp_keepalives_idle: '0',
  tcp_keepalives_interval: '0',
  tcp_keepalives_count: '0',
  tcp_user_timeout: '0',
};

export const PARAMETER_KINDS: ReadonlyMap<string, ParameterKind> = new Map(
  [
    ...TOLD,
    ...KEPT,
    ...Object.entries(WITHOUT_EFFECT).map(
      ([name, initial]): ParameterKind => ({ name, initial, description: 'Kept without effect' }),
    ),
  ].map((kind) => [kind.name.toLowerCase(), kind]),
);
