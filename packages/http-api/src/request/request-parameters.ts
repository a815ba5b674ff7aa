import {
  asQueryId,
  asTransactionId,
  type QueryId,
  remembered,
  TesseraError,
  type TransactionId,
} from '@tessera/common';
import { DEFAULT_SETTINGS, type Settings, withSettings } from '@tessera/coordinator';
import type { QueryParameter } from '@tessera/sql';
import { DEFAULT_OUTPUT_FORMAT, type OutputFormat, outputFormat } from '../results/output-format.ts';
import { parseQueryParameters } from './query-parameters.ts';
import { queryString } from './query-string.ts';

/** The parameters in the query string of a request. */
export interface RequestParameters {
  readonly database: string | undefined;
  readonly queryId: QueryId | undefined;
  readonly transactionId: TransactionId | undefined;
  readonly label: string;
  readonly format: OutputFormat;
  readonly parameters: readonly QueryParameter[];
  readonly settings: Settings;
  readonly mode: 'run' | 'describe_parameters';
  readonly async: boolean;
  /** Whether the body is sent in ClickHouse's compressed blocks. */
  readonly compressed: boolean;
  /** Whether the client takes PROGRESS messages, in a format of messages. */
  readonly progress: boolean;
}

/**
 * The parameter names of the protocol; every other name is a setting. Those marked `accepted` have no effect
 * in this engine.
 */
const PROTOCOL = {
  database: 'used',
  output_format: 'used',
  default_format: 'used',
  query_parameters: 'used',
  execution_mode: 'used',
  async: 'used',
  query_label: 'used',
  compress: 'used',
  progress: 'used',
  max_execution_time: 'used',
  query_id: 'used',
  engine: 'accepted',
  account_id: 'accepted',
  transaction_id: 'used',
  transaction_sequence_id: 'accepted',
  advanced_mode: 'accepted',
  auto_start_stop_control: 'accepted',
  mask_internal_errors: 'accepted',
} as const;

type ProtocolName = keyof typeof PROTOCOL;

/** Parameters that differ from request to request, or may be a secret. */
const OF_ONE_REQUEST = /query_id|query_parameters|transaction/i;

/**
 * The parameters in the URL of a request. Clients repeat them.
 * @throws TesseraError UNKNOWN_SETTING, INVALID_SETTING, INVALID_ARGUMENT, NOT_SUPPORTED, INVALID_ENCODING
 */
export const requestParameters = remembered(
  (url) => parseRequestParameters(queryString(url)),
  (_, url) => !OF_ONE_REQUEST.test(url) && !url.includes('%'),
);

/** @throws TesseraError UNKNOWN_SETTING, INVALID_SETTING, INVALID_ARGUMENT, NOT_SUPPORTED */
function parseRequestParameters(query: URLSearchParams): RequestParameters {
  const given = new Map<ProtocolName, string>();
  const settings: [string, string][] = [];
  for (const [name, value] of query) {
    const key = name.toLowerCase();
    if (isProtocolName(key)) given.set(key, value);
    else settings.push([name, value]);
  }
  const label = given.get('query_label') ?? '';
  const maxSeconds = given.get('max_execution_time');
  if (maxSeconds !== undefined) settings.unshift(['statement_timeout', milliseconds(maxSeconds)]);
  settings.unshift(['query_label', label]);
  return {
    database: given.get('database') || undefined,
    queryId: queryId(given.get('query_id')),
    transactionId: transactionId(given.get('transaction_id')),
    label,
    format: outputFormat(given.get('output_format') || given.get('default_format') || DEFAULT_OUTPUT_FORMAT),
    parameters: parseQueryParameters(given.get('query_parameters')),
    settings: withSettings(DEFAULT_SETTINGS, settings),
    mode: executionMode(given.get('execution_mode')),
    async: flag('async', given.get('async')),
    compressed: flag('compress', given.get('compress')),
    progress: flag('progress', given.get('progress')),
  };
}

/** The query id. It is returned in a header, so its characters are restricted. */
function queryId(value: string | undefined): QueryId | undefined {
  if (value === undefined || value === '') return undefined;
  if (/^[\x21-\x7e]{1,256}$/.test(value)) return asQueryId(value);
  const message = `query_id must have 1 to 256 visible ASCII characters, not ${JSON.stringify(value.slice(0, 100))}`;
  throw TesseraError.of('INVALID_ARGUMENT', { message });
}

const transactionId = (value: string | undefined): TransactionId | undefined =>
  value ? asTransactionId(value) : undefined;

const isProtocolName = (name: string): name is ProtocolName => Object.hasOwn(PROTOCOL, name);

function milliseconds(seconds: string): string {
  const value = Math.ceil(Number(seconds) * 1000);
  if (seconds.trim() === '' || !(value >= 0 && Number.isSafeInteger(value))) {
    throw TesseraError.of('INVALID_SETTING', {
      name: 'max_execution_time',
      value: seconds,
      expected: `seconds from 0 to ${Math.floor(Number.MAX_SAFE_INTEGER / 1000)}`,
    });
  }
  return String(value);
}

function executionMode(value: string | undefined): RequestParameters['mode'] {
  if (value === undefined || value === '') return 'run';
  if (value.toLowerCase() === 'describe_parameters') return 'describe_parameters';
  throw TesseraError.of('INVALID_SETTING', {
    name: 'execution_mode',
    value,
    expected: 'describe_parameters',
  });
}

function flag(name: string, value: string | undefined): boolean {
  if (value === undefined || value === '') return false;
  const word = value.toLowerCase();
  if (word === '1' || word === 'true') return true;
  if (word === '0' || word === 'false') return false;
  throw TesseraError.of('INVALID_SETTING', { name, value, expected: 'true, false, 1 or 0' });
}
