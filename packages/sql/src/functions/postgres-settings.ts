import packageJson from '../../package.json' with { type: 'json' };

/** The PostgreSQL version that we report; clients choose their catalog queries by it. */
const POSTGRES_VERSION = '15.0';

/** The answer of `version()` for PostgreSQL clients, which parse the number after the first word. */
export const POSTGRES_VERSION_TEXT = `PostgreSQL ${POSTGRES_VERSION} (Tessera ${packageJson.version})`;

/** Settings that clients read, with their values when the session has not set them. */
export const POSTGRES_SETTINGS: Readonly<Record<string, string>> = {
  application_name: '',
  block_size: '8192',
  bytea_output: 'hex',
  client_encoding: 'UTF8',
  client_min_messages: 'notice',
  DateStyle: 'ISO, MDY',
  default_transaction_isolation: 'repeatable read',
  default_transaction_read_only: 'off',
  extra_float_digits: '1',
  integer_datetimes: 'on',
  IntervalStyle: 'postgres',
  is_superuser: 'off',
  lc_collate: 'C',
  lc_ctype: 'C',
  lc_messages: 'C',
  lc_monetary: 'C',
  lc_numeric: 'C',
  lc_time: 'C',
  lock_timeout: '0',
  max_connections: '100',
  max_identifier_length: '63',
  max_index_keys: '32',
  search_path: '"$user", public',
  server_encoding: 'UTF8',
  server_version: POSTGRES_VERSION,
  server_version_num: '150000',
  standard_conforming_strings: 'on',
  statement_timeout: '0',
  TimeZone: 'UTC',
  transaction_isolation: 'repeatable read',
  transaction_read_only: 'off',
};

const BY_NAME = new Map(
  Object.entries(POSTGRES_SETTINGS).map(([name, value]) => [name.toLowerCase(), value] as const),
);

/** The value of a setting; the case of its name does not matter. */
export const settingValue = (name: string): string | undefined => BY_NAME.get(name.toLowerCase());
