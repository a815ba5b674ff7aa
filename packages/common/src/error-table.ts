import type { QueryId } from './ids.ts';

/**
 * The closed table of errors: every failure that a user, a client or another process can see is one row.
 * `docs/errors.md` is generated from it, and both endpoints build their error responses from it.
 *
 * `retry` says who may retry: `never` (the request would fail again), `task` (the engine retries one task),
 * `query` (the engine retries the whole statement), `client` (the client may send the request again later).
 */
export type RetryClass = 'never' | 'task' | 'query' | 'client';

interface ErrorRow<P> {
  /** Five-character SQLSTATE, PostgreSQL's where it has one. */
  readonly sqlState: string;
  readonly httpStatus: number;
  readonly retry: RetryClass;
  readonly meaning: string;
  readonly message: (params: P) => string;
}

const row = <P>(r: ErrorRow<P>): ErrorRow<P> => r;

/** The code that detects the failure (the kernel, a codec) supplies the complete message. */
type Whole = { message: string };
const whole = (p: Whole) => p.message;

export const ERRORS = {
  // Statements
  SYNTAX_ERROR: row<Whole>({
    sqlState: '42601',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The statement has a syntax error.',
    message: whole,
  }),
  UNDEFINED_NAME: row<Whole>({
    sqlState: '42703',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The statement refers to a column that does not exist.',
    message: whole,
  }),
  UNDEFINED_TABLE: row<Whole>({
    sqlState: '42P01',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The statement refers to a table or view that does not exist.',
    message: whole,
  }),
  UNDEFINED_FUNCTION: row<Whole>({
    sqlState: '42883',
    httpStatus: 400,
    retry: 'never',
    meaning: 'No function or operator has this name and these argument types.',
    message: whole,
  }),
  AMBIGUOUS_FUNCTION: row<Whole>({
    sqlState: '42725',
    httpStatus: 400,
    retry: 'never',
    meaning: 'Several functions or operators accept these arguments equally well.',
    message: whole,
  }),
  AMBIGUOUS_NAME: row<Whole>({
    sqlState: '42702',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A name refers to more than one object.',
    message: whole,
  }),
  AMBIGUOUS_ALIAS: row<Whole>({
    sqlState: '42P09',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A name refers to more than one table of the statement.',
    message: whole,
  }),
  DUPLICATE_COLUMN: row<Whole>({
    sqlState: '42701',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A statement lists or defines a column twice.',
    message: whole,
  }),
  DUPLICATE_ALIAS: row<Whole>({
    sqlState: '42712',
    httpStatus: 400,
    retry: 'never',
    meaning: 'Two relations of FROM, or two queries of WITH, have the same name.',
    message: whole,
  }),
  BINDING_ERROR: row<Whole>({
    sqlState: '42P10',
    httpStatus: 400,
    retry: 'never',
    meaning:
      'The statement is syntactically valid, but its types, argument counts or clauses do not fit together.',
    message: whole,
  }),
  INVALID_RECURSION: row<Whole>({
    sqlState: '42P19',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A query of WITH RECURSIVE refers to itself in a place where it cannot.',
    message: whole,
  }),
  UNDEFINED_PARAMETER: row<Whole>({
    sqlState: '42P02',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The statement uses a parameter that has no value.',
    message: whole,
  }),
  DATATYPE_MISMATCH: row<Whole>({
    sqlState: '42804',
    httpStatus: 400,
    retry: 'never',
    meaning: 'Values of types that have nothing in common stand where they need a common type.',
    message: whole,
  }),
  CANNOT_CAST: row<Whole>({
    sqlState: '42846',
    httpStatus: 400,
    retry: 'never',
    meaning: 'No cast converts values of this type to the requested type.',
    message: whole,
  }),
  CAST_ERROR: row<Whole>({
    sqlState: '22P02',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A value cannot be converted to the requested type.',
    message: whole,
  }),
  UNTRANSLATABLE_CHARACTER: row<Whole>({
    sqlState: '22P05',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A document contains a character that no text can contain.',
    message: whole,
  }),
  INVALID_DATETIME_FORMAT: row<Whole>({
    sqlState: '22007',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A text is not a date, time or interval.',
    message: whole,
  }),
  OUT_OF_RANGE: row<Whole>({
    sqlState: '22003',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A number does not fit its type.',
    message: whole,
  }),
  DATETIME_OUT_OF_RANGE: row<Whole>({
    sqlState: '22008',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A date or time does not exist, or is out of the range of its type.',
    message: whole,
  }),
  INVALID_POWER: row<Whole>({
    sqlState: '2201F',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A root or a power of a number has no real value.',
    message: whole,
  }),
  INVALID_LOGARITHM: row<Whole>({
    sqlState: '2201E',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The logarithm of a number that is not positive.',
    message: whole,
  }),
  INVALID_REGULAR_EXPRESSION: row<Whole>({
    sqlState: '2201B',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A pattern is not a valid regular expression.',
    message: whole,
  }),
  INVALID_SUBSTRING: row<Whole>({
    sqlState: '22011',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The length of a part of a text is negative.',
    message: whole,
  }),
  INVALID_ESCAPE: row<Whole>({
    sqlState: '22025',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The text after ESCAPE is longer than one character.',
    message: whole,
  }),
  INVALID_NTILE: row<Whole>({
    sqlState: '22014',
    httpStatus: 400,
    retry: 'never',
    meaning: '`ntile` was asked for fewer than one group.',
    message: whole,
  }),
  INVALID_LIMIT: row<Whole>({
    sqlState: '2201W',
    httpStatus: 400,
    retry: 'never',
    meaning: 'LIMIT is negative.',
    message: whole,
  }),
  INVALID_OFFSET: row<Whole>({
    sqlState: '2201X',
    httpStatus: 400,
    retry: 'never',
    meaning: 'OFFSET is negative.',
    message: whole,
  }),
  VALUE_TOO_LONG: row<{ type: string; table: string; column: string }>({
    sqlState: '22001',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A text is longer than the declared length of its column.',
    message: (p) => `value too long for type ${p.type}, in column "${p.column}" of table "${p.table}"`,
  }),
  DIVISION_BY_ZERO: row<Record<never, never>>({
    sqlState: '22012',
    httpStatus: 400,
    retry: 'never',
    meaning: 'Division or modulo by zero.',
    message: () => 'division by zero',
  }),
  INVALID_FRAME_OFFSET: row<Whole>({
    sqlState: '22013',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The frame of a window begins or ends at a negative offset.',
    message: whole,
  }),
  INVALID_NTH_VALUE: row<Record<never, never>>({
    sqlState: '22016',
    httpStatus: 400,
    retry: 'never',
    meaning: '`nth_value` was asked for a row before the first one.',
    message: () => 'argument of nth_value must be greater than zero',
  }),
  INVALID_WIDTH_BUCKET: row<Whole>({
    sqlState: '2201G',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The bounds or the number of buckets of `width_bucket` are invalid.',
    message: whole,
  }),
  ARRAY_ELEMENT_ERROR: row<Whole>({
    sqlState: '2202E',
    httpStatus: 400,
    retry: 'never',
    meaning: 'An array or bytea has fewer elements than an argument of a function says.',
    message: whole,
  }),
  NULL_NOT_ALLOWED: row<Whole>({
    sqlState: '22004',
    httpStatus: 400,
    retry: 'never',
    meaning: 'An argument is NULL, or contains a NULL, where the function requires a value.',
    message: whole,
  }),
  VALUE_TOO_LARGE: row<Whole>({
    sqlState: '54000',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A function would make a value that is larger than the engine allows.',
    message: whole,
  }),
  INVALID_ARGUMENT: row<Whole>({
    sqlState: '22023',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A function, statement or request was given an invalid argument.',
    message: whole,
  }),
  UNKNOWN_SETTING: row<{ name: string; nearest?: string | undefined }>({
    sqlState: '42704',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A query-string parameter or SET names a setting that does not exist.',
    message: (p) => `Unknown setting ${p.name}${p.nearest ? ` (did you mean ${p.nearest}?)` : ''}`,
  }),
  INVALID_SETTING: row<{ name: string; value: string; expected: string }>({
    sqlState: '22023',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A setting was given an invalid value.',
    message: (p) => `Setting ${p.name}: expected ${p.expected}, got "${p.value}"`,
  }),
  NOT_SUPPORTED: row<{ what: string; hint?: string | undefined }>({
    sqlState: '0A000',
    httpStatus: 400,
    retry: 'never',
    meaning: 'This version does not support the statement or feature.',
    message: (p) => `${p.what} is not supported${p.hint ? `: ${p.hint}` : ''}`,
  }),
  FORBIDDEN: row<Whole>({
    sqlState: '42501',
    httpStatus: 403,
    retry: 'never',
    meaning: 'The user lacks a privilege, or the configuration of the engine forbids the operation.',
    message: whole,
  }),
  UNAUTHENTICATED: row<Whole>({
    sqlState: '28000',
    httpStatus: 401,
    retry: 'client',
    meaning: 'The request carries no valid credentials.',
    message: whole,
  }),
  DATABASE_NOT_FOUND: row<{ database: string }>({
    sqlState: '3D000',
    httpStatus: 404,
    retry: 'never',
    meaning: 'The request names a database that does not exist.',
    message: (p) => `Database "${p.database}" does not exist`,
  }),
  RESULT_TOO_LARGE: row<{ limit: number }>({
    sqlState: '54000',
    httpStatus: 400,
    retry: 'never',
    meaning: 'RETURNING would return more rows than max_result_rows allows.',
    message: (p) => `The result has more than ${p.limit} rows (setting max_result_rows)`,
  }),
  SEQUENCE_EXHAUSTED: row<{ name: string; limit: string }>({
    sqlState: '2200H',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A sequence has reached its limit and was not created with CYCLE.',
    message: (p) =>
      `Sequence "${p.name}" has no value left: it ends at ${p.limit} (with CYCLE it would start again)`,
  }),
  NO_SEQUENCE_VALUE: row<Whole>({
    sqlState: '55000',
    httpStatus: 400,
    retry: 'never',
    meaning: 'currval or lastval was called in a session that has not called nextval.',
    message: whole,
  }),
  GENERATED_ALWAYS: row<{ column: string }>({
    sqlState: '428C9',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A statement assigns a value to a column that is GENERATED ALWAYS AS IDENTITY.',
    message: (p) =>
      `Column "${p.column}" is GENERATED ALWAYS AS IDENTITY and accepts only DEFAULT; use INSERT … OVERRIDING SYSTEM VALUE to store another value`,
  }),
  ALREADY_COMMITTED: row<{ queryId: QueryId }>({
    sqlState: '25000',
    httpStatus: 409,
    retry: 'never',
    meaning:
      'A statement with RETURNING was sent again with the same query_id. It committed the first time and is not executed again, and its rows are no longer available.',
    message: (p) =>
      `The statement with query_id ${p.queryId} has already been committed and is not executed again. The rows of its RETURNING clause are no longer available: read them with SELECT`,
  }),
  STATEMENT_TOO_COMPLEX: row<{ what: string; limit: number; hint?: string | undefined }>({
    sqlState: '54001',
    httpStatus: 400,
    retry: 'never',
    meaning:
      'The statement is too large to be planned: too many tokens, columns, tables, set operations or parameters.',
    message: (p) =>
      `The statement has more than ${p.limit} ${p.what}${p.hint === undefined ? '' : `. ${p.hint}`}`,
  }),
  TOO_MANY_COLUMNS: row<{ limit: number }>({
    sqlState: '54011',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A table would have too many columns.',
    message: (p) => `A table can have at most ${p.limit} columns. Use arrays, structs or json for the others`,
  }),
  STATEMENT_FAILED: row<Whole>({
    sqlState: '22000',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The statement failed on its data for a reason that has no error of its own.',
    message: whole,
  }),

  // Files
  BAD_FILE: row<{ name: string; reason: string }>({
    sqlState: '22P04',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A file that the statement reads is corrupt or does not have the expected format.',
    message: (p) => `Cannot read ${p.name}: ${p.reason}`,
  }),
  FILE_NOT_FOUND: row<{ url: string; hint?: string | undefined }>({
    sqlState: '58P01',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A URL that the statement reads does not exist.',
    message: (p) => `${p.url} does not exist${p.hint ? ` (${p.hint})` : ''}`,
  }),
  FILE_TOO_LARGE: row<{ name: string; limitBytes: number }>({
    sqlState: '54000',
    httpStatus: 413,
    retry: 'never',
    meaning: 'An external file exceeds the size limit (counted after decompression).',
    message: (p) => `${p.name} exceeds the limit of ${p.limitBytes} bytes`,
  }),
  LOCATION_NOT_ALLOWED: row<{ url: string; reason: string }>({
    sqlState: '42501',
    httpStatus: 403,
    retry: 'never',
    meaning: 'The engine is not allowed to read this URL or path.',
    message: (p) => `${p.url} may not be read: ${p.reason}`,
  }),
  EXTERNAL_READ_FAILED: row<{ url: string; reason: string }>({
    sqlState: '58030',
    httpStatus: 400,
    retry: 'client',
    meaning: 'An external server did not deliver a file.',
    message: (p) => `Reading ${p.url} failed: ${p.reason}`,
  }),

  // The catalog and its transactions
  UNDEFINED_OBJECT: row<{ what: string; name: string; nearest?: string | undefined }>({
    sqlState: '42704',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The statement refers to an index, location, type or other object that does not exist.',
    message: (p) => `${p.what} "${p.name}" does not exist${p.nearest ? ` (did you mean ${p.nearest}?)` : ''}`,
  }),
  UNDEFINED_SCHEMA: row<{ name: string; nearest?: string | undefined }>({
    sqlState: '3F000',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The statement refers to a schema that does not exist.',
    message: (p) => `Schema "${p.name}" does not exist${p.nearest ? ` (did you mean ${p.nearest}?)` : ''}`,
  }),
  DUPLICATE_OBJECT: row<{ what: string; name: string }>({
    sqlState: '42P07',
    httpStatus: 400,
    retry: 'never',
    meaning: 'An object with this name already exists.',
    message: (p) => `${p.what} "${p.name}" already exists`,
  }),
  DUPLICATE_SCHEMA: row<{ name: string }>({
    sqlState: '42P06',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A schema with this name already exists.',
    message: (p) => `Schema "${p.name}" already exists`,
  }),
  DUPLICATE_DATABASE: row<{ name: string }>({
    sqlState: '42P04',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A database with this name already exists.',
    message: (p) => `Database "${p.name}" already exists`,
  }),
  INVALID_TABLE_DEFINITION: row<Whole>({
    sqlState: '42P16',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The definition of a table contradicts itself.',
    message: whole,
  }),
  DEPENDENT_OBJECTS: row<Whole>({
    sqlState: '2BP01',
    httpStatus: 400,
    retry: 'never',
    meaning: 'Other objects depend on the object to be dropped; CASCADE drops them too.',
    message: whole,
  }),
  WRONG_OBJECT_TYPE: row<Whole>({
    sqlState: '42809',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The object exists, but the statement does not apply to objects of its kind.',
    message: whole,
  }),
  NOT_NULL_VIOLATION: row<{ table: string; column: string }>({
    sqlState: '23502',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A row has NULL in a column that is NOT NULL.',
    message: (p) => `NULL in column "${p.column}" of table "${p.table}", which is NOT NULL`,
  }),
  CHECK_VIOLATION: row<{ table: string; constraint: string }>({
    sqlState: '23514',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A row violates a CHECK constraint of its table.',
    message: (p) => `A new row of table "${p.table}" violates the check constraint "${p.constraint}"`,
  }),
  GROUPING_ERROR: row<Whole>({
    sqlState: '42803',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A column or aggregate function is used where GROUP BY, or its absence, does not allow it.',
    message: whole,
  }),
  WINDOWING_ERROR: row<Whole>({
    sqlState: '42P20',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A window function is used where none is allowed, or its window is invalid.',
    message: whole,
  }),
  CARDINALITY_VIOLATION: row<Whole>({
    sqlState: '21000',
    httpStatus: 400,
    retry: 'never',
    meaning:
      'The statement produced more rows than it can use, such as two source rows of a MERGE for one target row.',
    message: whole,
  }),
  TRANSACTION_CONFLICT: row<Whole>({
    sqlState: '40001',
    httpStatus: 409,
    retry: 'query',
    meaning: 'Another transaction changed the same data first. Retry the statement or transaction.',
    message: whole,
  }),
  DEADLOCK: row<{ lock: string }>({
    sqlState: '40P01',
    httpStatus: 409,
    retry: 'query',
    meaning: 'Sessions wait for the advisory locks of one another.',
    message: (p) => `Deadlock: advisory lock ${p.lock} is held by a session that waits for this one`,
  }),
  NO_TRANSACTION: row<Whole>({
    sqlState: '25P01',
    httpStatus: 400,
    retry: 'never',
    meaning: 'No transaction with this id is open, or the statement requires a transaction.',
    message: whole,
  }),
  ACTIVE_TRANSACTION: row<Whole>({
    sqlState: '25001',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The statement cannot run inside a transaction, or not at this point of it.',
    message: whole,
  }),
  UNDEFINED_SAVEPOINT: row<{ name: string }>({
    sqlState: '3B001',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The transaction has no savepoint of this name, or it was released or rolled back.',
    message: (p) => `Savepoint "${p.name}" does not exist`,
  }),
  TRANSACTION_ABORTED: row<Record<never, never>>({
    sqlState: '25P02',
    httpStatus: 400,
    retry: 'never',
    meaning: 'An earlier statement of the transaction failed; only ROLLBACK and ROLLBACK TO are accepted.',
    message: () =>
      'The transaction is aborted because an earlier statement failed: use ROLLBACK, or ROLLBACK TO a savepoint',
  }),
  NOT_LEADER: row<{ hint?: string | undefined }>({
    sqlState: '57P04',
    httpStatus: 503,
    retry: 'task',
    meaning: 'The storage manager that received the request is no longer the leader.',
    message: (p) => `This storage manager is not the leader${p.hint ? `; ${p.hint} may be` : ''}`,
  }),
  PROTOCOL_MISMATCH: row<{ ours: number; theirs: string }>({
    sqlState: '08P01',
    httpStatus: 503,
    retry: 'never',
    meaning: 'Two nodes use different versions of the internal protocol. Upgrade the older one.',
    message: (p) =>
      `This node uses version ${p.ours} of the internal protocol, the caller uses version ${p.theirs}`,
  }),
  KERNEL_MISMATCH: row<{ ours: string; theirs: string }>({
    sqlState: '08P01',
    httpStatus: 503,
    retry: 'never',
    meaning:
      'Two nodes run different versions of the kernel, or of what nodes exchange to run queries. They do not share queries until one of them is upgraded.',
    message: (p) => `This node runs kernel ${p.ours}, the caller runs ${p.theirs}`,
  }),
  SECRET_KEY_MISSING: row<{ keyId: string }>({
    sqlState: '58000',
    httpStatus: 500,
    retry: 'never',
    meaning:
      'The node cannot decrypt the credentials of a location or external table: it lacks the key, or they are damaged. Give every node the key in `TESSERA_SECRETS_KEY`, or create the location again.',
    message: (p) =>
      `The credentials were encrypted with the key ${p.keyId}, and this node cannot decrypt them: give it that key in TESSERA_SECRETS_KEY, or create the location again`,
  }),
  STORE_MISMATCH: row<{ ours: string; theirs: string }>({
    sqlState: '08P01',
    httpStatus: 503,
    retry: 'never',
    meaning:
      'Two nodes that should share tables store them in different places, so neither could read what the other writes. Configure both with the same `instance.id` and the same `storage`, or give them different metadata services.',
    message: (p) =>
      `This node stores its tables in ${p.ours}, the caller stores them in ${p.theirs}. Nodes that share a metadata log must be configured with the same instance.id and the same storage`,
  }),
  METADATA_UNAVAILABLE: row<{ reason: string }>({
    sqlState: '58030',
    httpStatus: 503,
    retry: 'client',
    meaning:
      'The metadata log cannot be reached. A commit in progress may or may not have happened: send the statement again with the same query id.',
    message: (p) => `The metadata log is unavailable: ${p.reason}`,
  }),
  CORRUPT_METADATA: row<{ what: string; reason: string }>({
    sqlState: 'XX001',
    httpStatus: 500,
    retry: 'never',
    meaning: 'The metadata log or a checkpoint is damaged or was written by a newer version.',
    message: (p) => `The metadata is damaged or was written by a newer version (${p.what}): ${p.reason}`,
  }),

  // Managed storage
  OBJECT_NOT_FOUND: row<{ url: string }>({
    sqlState: '58P01',
    httpStatus: 500,
    retry: 'never',
    meaning:
      'An object that should exist is missing from the object store. Put it back, or run `tessera repair`: it reports what is lost and, with `--apply`, removes it from the catalog.',
    message: (p) =>
      `${p.url} is not in the object store. Put it back, or run tessera repair: it reports what is lost and, with --apply, removes it from the catalog`,
  }),
  STORAGE_UNAVAILABLE: row<{ url: string; reason: string; outcome?: 'failed' | 'unknown' | undefined }>({
    sqlState: '58030',
    httpStatus: 503,
    retry: 'client',
    meaning: 'The object store did not respond, or responded with an error, after all retries.',
    message: (p) => `${p.url}: ${p.reason}${p.outcome === 'unknown' ? ' (it may have been written)' : ''}`,
  }),
  STORAGE_UNSUITABLE: row<Whole>({
    sqlState: '58030',
    httpStatus: 500,
    retry: 'never',
    meaning:
      'The object store lacks a capability that a cluster requires: conditional writes, or listings that include completed writes.',
    message: whole,
  }),
  CORRUPT_TABLET: row<{ tablet: string; table: string; reason: string }>({
    sqlState: 'XX001',
    httpStatus: 500,
    retry: 'never',
    meaning: 'A tablet in the object store is damaged; it was fetched twice.',
    message: (p) => `Tablet ${p.tablet} of table ${p.table} is corrupt: ${p.reason}`,
  }),

  // Requests and uploads
  BAD_REQUEST: row<Whole>({
    sqlState: '08P01',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The HTTP request is malformed.',
    message: whole,
  }),
  HEADERS_TOO_LARGE: row<{ limit: number; what: string }>({
    sqlState: '54000',
    httpStatus: 431,
    retry: 'never',
    meaning: 'The URL or the headers of the HTTP request are too long.',
    message: (p) => `${p.what} of the request are longer than ${p.limit} bytes`,
  }),
  BAD_UPLOAD: row<{ part?: string | undefined; reason: string }>({
    sqlState: '08P01',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The multipart body or one of its parts is malformed.',
    message: (p) => (p.part === undefined ? p.reason : `Part "${p.part}": ${p.reason}`),
  }),
  UNSUPPORTED_CODING: row<{ part?: string | undefined; coding: string }>({
    sqlState: '0A000',
    httpStatus: 415,
    retry: 'never',
    meaning: 'The Content-Encoding is not supported.',
    message: (p) =>
      `${p.part === undefined ? '' : `Part "${p.part}": `}unknown Content-Encoding "${p.coding}" (supported: gzip, deflate, br, xz, zstd, lz4, snappy)`,
  }),
  UPLOAD_TOO_LARGE: row<{ part?: string | undefined; what: string; limit: string }>({
    sqlState: '54000',
    httpStatus: 413,
    retry: 'never',
    meaning: 'An upload exceeds a limit (sizes are counted after decompression).',
    message: (p) =>
      `${p.part === undefined ? '' : `Part "${p.part}": `}${p.what} exceeds the limit of ${p.limit}`,
  }),
  DISK_FULL: row<{ what: string }>({
    sqlState: '53100',
    httpStatus: 507,
    retry: 'client',
    meaning: 'The disk of the node has no space for the files of the request.',
    message: (p) => `No disk space left for ${p.what}`,
  }),
  DISK_FAILED: row<{ what: string; reason: string }>({
    sqlState: '58030',
    httpStatus: 503,
    retry: 'task',
    meaning: 'The disk of the node cannot be read or written. The engine retries the work on another node.',
    message: (p) => `A disk operation failed on this node (${p.what}): ${p.reason}`,
  }),

  // The life of a query
  QUERY_CANCELLED: row<{ reason: string }>({
    sqlState: '57014',
    httpStatus: 499,
    retry: 'never',
    meaning: 'The query was cancelled by a user, by a closed connection or by shutdown.',
    message: (p) => `Query cancelled: ${p.reason}`,
  }),
  QUERY_NOT_FOUND: row<{ queryId: QueryId }>({
    sqlState: '42704',
    httpStatus: 404,
    retry: 'never',
    meaning: 'No query with this id is running.',
    message: (p) => `No query with the id ${p.queryId} is running`,
  }),
  QUERY_ID_IN_USE: row<{ queryId: QueryId }>({
    sqlState: '55006',
    httpStatus: 409,
    retry: 'client',
    meaning: 'A query with the same id is still running on the node.',
    message: (p) =>
      `The query ${p.queryId} is still running: wait for it, cancel it, or use another query_id`,
  }),
  STATEMENT_TIMEOUT: row<{ timeoutMs: number }>({
    sqlState: '57014',
    httpStatus: 504,
    retry: 'client',
    meaning: 'The statement ran longer than its timeout.',
    message: (p) => `Statement timed out after ${p.timeoutMs} ms`,
  }),
  CLIENT_TOO_SLOW: row<{ timeoutMs: number }>({
    sqlState: '57014',
    httpStatus: 408,
    retry: 'client',
    meaning: 'The client sent or accepted no data for longer than the engine waits.',
    message: (p) => `The client sent or accepted no data for ${p.timeoutMs} ms`,
  }),
  OUT_OF_MEMORY: row<Whole>({
    sqlState: '53200',
    httpStatus: 500,
    retry: 'task',
    meaning: 'The query needed more memory than the engine may use.',
    message: whole,
  }),
  NOT_ADMITTED: row<{ reason: string }>({
    sqlState: '53300',
    httpStatus: 429,
    retry: 'client',
    meaning: 'The engine accepts no more queries at the moment.',
    message: (p) => `Query not admitted: ${p.reason}`,
  }),
  DRAINING: row<Record<never, never>>({
    sqlState: '57P01',
    httpStatus: 503,
    retry: 'client',
    meaning: 'The node is shutting down and accepts no new queries.',
    message: () => 'This node is shutting down; send the query to another node, or retry later',
  }),
  NOT_READY: row<{ reason: string }>({
    sqlState: '57P03',
    httpStatus: 503,
    retry: 'client',
    meaning: 'The node is starting.',
    message: (p) => `This node is not ready: ${p.reason}`,
  }),
  KERNEL_LOST: row<Whole>({
    sqlState: '57P02',
    httpStatus: 500,
    retry: 'query',
    meaning: 'The kernel process that executed the query exited unexpectedly.',
    message: whole,
  }),
  // Work on several nodes
  NODE_LOST: row<{ node: string; reason: string }>({
    sqlState: '58000',
    httpStatus: 503,
    retry: 'task',
    meaning:
      'A node no longer responds. Other nodes take over its tasks unless rows of the result have already been sent.',
    message: (p) => `Node ${p.node} is lost: ${p.reason}`,
  }),
  NODE_RESTARTED: row<{ node: string }>({
    sqlState: '58000',
    httpStatus: 503,
    retry: 'task',
    meaning:
      'A node has restarted since the query was planned, and the intermediate results it held are gone.',
    message: (p) => `Node ${p.node} was restarted`,
  }),
  NO_NODES: row<{ reason: string }>({
    sqlState: '57P03',
    httpStatus: 503,
    retry: 'client',
    meaning: 'No node of the engine is left that could execute the query.',
    message: (p) => `No node can execute the query: ${p.reason}`,
  }),
  NO_PROGRESS: row<{ stages: string }>({
    sqlState: 'XX000',
    httpStatus: 500,
    retry: 'never',
    meaning:
      'The stages of a distributed query wait for each other. This is a defect of the engine; please report it.',
    message: (p) =>
      `The distributed query cannot make progress: stages ${p.stages} wait for rows that no task produces. Set enable_distributed_execution=false to run the query on one node, and please report this.`,
  }),
  FETCH_FAILED: row<{ node: string; stage: number; task: number; attempt: number; reason: string }>({
    sqlState: '58000',
    httpStatus: 503,
    retry: 'task',
    meaning:
      'The output of a task could not be fetched from its node, or arrived incomplete. The engine runs the task again.',
    message: (p) =>
      `The output of stage ${p.stage}, task ${p.task}, attempt ${p.attempt} could not be fetched from node ${p.node}: ${p.reason}`,
  }),
  SHUFFLE_SPACE_EXHAUSTED: row<{ node: string; reason: string }>({
    sqlState: '53100',
    httpStatus: 503,
    retry: 'client',
    meaning: 'A node has no memory or disk space left for rows exchanged between nodes.',
    message: (p) => `Node ${p.node} has no space left for rows exchanged between nodes: ${p.reason}`,
  }),
  PARTITION_MISMATCH: row<{ node: string; stage: number }>({
    sqlState: 'XX000',
    httpStatus: 500,
    retry: 'never',
    meaning:
      'Two nodes assign rows to different hash buckets. They must not work together, because results would be wrong.',
    message: (p) =>
      `Node ${p.node} assigns the rows of stage ${p.stage} to different hash buckets than this node`,
  }),

  INVALID_ENCODING: row<{ what: string; bytes: string }>({
    sqlState: '22021',
    httpStatus: 400,
    retry: 'never',
    meaning: 'Text sent by a client is not valid UTF-8 or contains a NUL character.',
    message: (p) => `invalid byte sequence for encoding "UTF8": ${p.bytes} (in ${p.what})`,
  }),

  // PostgreSQL connections
  PROTOCOL_VIOLATION: row<Whole>({
    sqlState: '08P01',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A PostgreSQL client violated the protocol; the connection is closed.',
    message: whole,
  }),
  TOO_MANY_CONNECTIONS: row<{ limit: number }>({
    sqlState: '53300',
    httpStatus: 503,
    retry: 'client',
    meaning: 'The node has reached its limit of PostgreSQL connections.',
    message: (p) => `Too many connections: this node accepts at most ${p.limit}`,
  }),
  TOO_MANY_LOGINS: row<Record<never, never>>({
    sqlState: '53300',
    httpStatus: 429,
    retry: 'client',
    meaning: 'Too many logins are in progress for one user, from one address, or on the node.',
    message: () => 'Too many logins at the same time; try again later',
  }),
  WRONG_PASSWORD: row<{ user: string }>({
    sqlState: '28P01',
    httpStatus: 401,
    retry: 'client',
    meaning: 'A PostgreSQL client sent a wrong password or token for its user.',
    message: (p) => `Password authentication failed for user "${p.user}"`,
  }),
  UNDEFINED_PREPARED_STATEMENT: row<{ name: string }>({
    sqlState: '26000',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The connection has no prepared statement with this name.',
    message: (p) =>
      p.name === '' ? 'No statement is prepared' : `Prepared statement "${p.name}" does not exist`,
  }),
  DUPLICATE_PREPARED_STATEMENT: row<{ name: string }>({
    sqlState: '42P05',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The connection already has a prepared statement with this name.',
    message: (p) => `Prepared statement "${p.name}" already exists`,
  }),
  UNDEFINED_CURSOR: row<{ name: string }>({
    sqlState: '34000',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The connection has no cursor or portal with this name.',
    message: (p) => `Portal "${p.name}" does not exist`,
  }),
  DUPLICATE_CURSOR: row<{ name: string }>({
    sqlState: '42P03',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The connection already has a cursor or portal with this name.',
    message: (p) => `Cursor "${p.name}" already exists`,
  }),
  IDLE_SESSION: row<{ timeoutMs: number }>({
    sqlState: '57P05',
    httpStatus: 408,
    retry: 'client',
    meaning:
      'A PostgreSQL client was idle for longer than its idle_session_timeout; the connection is closed.',
    message: (p) => `The connection was idle for ${p.timeoutMs} ms (idle_session_timeout)`,
  }),
  IDLE_TRANSACTION: row<{ timeoutMs: number }>({
    sqlState: '25P03',
    httpStatus: 408,
    retry: 'client',
    meaning:
      'A PostgreSQL client was idle in a transaction for longer than its idle_in_transaction_session_timeout; the connection is closed.',
    message: (p) => `The transaction was idle for ${p.timeoutMs} ms (idle_in_transaction_session_timeout)`,
  }),
  READ_ONLY_TRANSACTION: row<{ what: string }>({
    sqlState: '25006',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The statement makes changes, but its transaction is READ ONLY.',
    message: (p) => `${p.what} cannot run in a read-only transaction`,
  }),

  INTERNAL: row<{ incident: string }>({
    sqlState: 'XX000',
    httpStatus: 500,
    retry: 'never',
    meaning: 'A defect of the engine. The log has the details under the incident id.',
    message: (p) => `Internal error, incident ${p.incident}`,
  }),
} as const;

export type ErrorName = keyof typeof ERRORS;
export type ErrorParams<N extends ErrorName> = Parameters<(typeof ERRORS)[N]['message']>[0];
