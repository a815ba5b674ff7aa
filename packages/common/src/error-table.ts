/**
 * The closed table of errors: every failure a user, a client or another process can see has one row here.
 * `docs/errors.md` is generated from it; both endpoints answer from it.
 *
 * `retry` says who may try again with hope: `never` (the input is at fault), `task` (another attempt of one task),
 * `query` (the whole statement, by the engine itself), `client` (the client, later).
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

/** The message comes whole from where the failure was seen (the kernel, a codec). */
type Whole = { message: string };
const whole = (p: Whole) => p.message;

export const ERRORS = {
  // Statements
  SYNTAX_ERROR: row<Whole>({
    sqlState: '42601',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The statement does not parse.',
    message: whole,
  }),
  UNDEFINED_NAME: row<Whole>({
    sqlState: '42703',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A column that the statement names does not exist.',
    message: whole,
  }),
  UNDEFINED_TABLE: row<Whole>({
    sqlState: '42P01',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A table or view that the statement names does not exist.',
    message: whole,
  }),
  UNDEFINED_FUNCTION: row<Whole>({
    sqlState: '42883',
    httpStatus: 400,
    retry: 'never',
    meaning: 'No function or operator has this name and these argument types.',
    message: whole,
  }),
  AMBIGUOUS_NAME: row<Whole>({
    sqlState: '42702',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A name could mean more than one thing.',
    message: whole,
  }),
  BINDING_ERROR: row<Whole>({
    sqlState: '42P10',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The statement parses but does not make sense (grouping, types, argument counts).',
    message: whole,
  }),
  CAST_ERROR: row<Whole>({
    sqlState: '22P02',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A value cannot be read as the type asked for.',
    message: whole,
  }),
  OUT_OF_RANGE: row<Whole>({
    sqlState: '22003',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A number does not fit its type.',
    message: whole,
  }),
  DIVISION_BY_ZERO: row<Record<never, never>>({
    sqlState: '22012',
    httpStatus: 400,
    retry: 'never',
    meaning: 'Division or modulo by zero.',
    message: () => 'division by zero',
  }),
  INVALID_ARGUMENT: row<Whole>({
    sqlState: '22023',
    httpStatus: 400,
    retry: 'never',
    meaning: 'An argument of a function, statement or request is not one it takes.',
    message: whole,
  }),
  UNKNOWN_SETTING: row<{ name: string; nearest?: string | undefined }>({
    sqlState: '42704',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A query-string parameter or SET names no setting.',
    message: (p) => `Unknown setting ${p.name}${p.nearest ? ` (did you mean ${p.nearest}?)` : ''}`,
  }),
  INVALID_SETTING: row<{ name: string; value: string; expected: string }>({
    sqlState: '22023',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A setting was given a value it does not take.',
    message: (p) => `Setting ${p.name}: expected ${p.expected}, got "${p.value}"`,
  }),
  NOT_SUPPORTED: row<{ what: string; hint?: string | undefined }>({
    sqlState: '0A000',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A statement or feature this version does not have yet.',
    message: (p) => `${p.what} is not supported yet${p.hint ? `: ${p.hint}` : ''}`,
  }),
  FORBIDDEN: row<Whole>({
    sqlState: '42501',
    httpStatus: 403,
    retry: 'never',
    meaning: 'The engine or the rights of the user do not allow it.',
    message: whole,
  }),
  UNAUTHENTICATED: row<Whole>({
    sqlState: '28000',
    httpStatus: 401,
    retry: 'client',
    meaning: 'No valid credentials came with the request.',
    message: whole,
  }),
  DATABASE_NOT_FOUND: row<{ database: string }>({
    sqlState: '3D000',
    httpStatus: 404,
    retry: 'never',
    meaning: 'The database named by the request does not exist.',
    message: (p) => `Database "${p.database}" does not exist`,
  }),
  RESULT_TOO_LARGE: row<{ limit: number }>({
    sqlState: '54000',
    httpStatus: 400,
    retry: 'never',
    meaning: 'RETURNING has more rows than max_result_rows allows.',
    message: (p) => `The result has more than ${p.limit} rows (setting max_result_rows)`,
  }),
  SEQUENCE_EXHAUSTED: row<{ name: string; limit: string }>({
    sqlState: '2200H',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A sequence has given all its values and does not begin again.',
    message: (p) =>
      `Sequence "${p.name}" has no value left: it ends at ${p.limit} (CYCLE lets it begin again)`,
  }),
  NO_SEQUENCE_VALUE: row<Whole>({
    sqlState: '55000',
    httpStatus: 400,
    retry: 'never',
    meaning: 'currval or lastval where the session has not called nextval before.',
    message: whole,
  }),
  GENERATED_ALWAYS: row<{ column: string }>({
    sqlState: '428C9',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A statement gives a value to a column that is GENERATED ALWAYS AS IDENTITY.',
    message: (p) =>
      `Column "${p.column}" is GENERATED ALWAYS AS IDENTITY and takes no value but DEFAULT; INSERT … OVERRIDING SYSTEM VALUE stores one all the same`,
  }),
  ALREADY_COMMITTED: row<{ queryId: string }>({
    sqlState: '25000',
    httpStatus: 409,
    retry: 'never',
    meaning:
      'A statement with RETURNING was sent again with the same query_id: it was committed the first time and is not run again. Its rows are not kept.',
    message: (p) =>
      `The statement with query_id ${p.queryId} is committed already and is not run again; the rows of its RETURNING clause are not kept: read them with SELECT`,
  }),
  STATEMENT_TOO_COMPLEX: row<{ what: string; limit: number; hint?: string | undefined }>({
    sqlState: '54001',
    httpStatus: 400,
    retry: 'never',
    meaning:
      'The statement is larger than the engine plans: too many tokens, columns, tables, set operations or parameters.',
    message: (p) =>
      `The statement has more than ${p.limit} ${p.what}${p.hint === undefined ? '' : `. ${p.hint}`}`,
  }),
  STATEMENT_FAILED: row<Whole>({
    sqlState: '22000',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The statement failed on its data, for a reason with no row of its own.',
    message: whole,
  }),

  // Files
  BAD_FILE: row<{ name: string; reason: string }>({
    sqlState: '22P04',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A file read by the statement is corrupt or not of the format it is read as.',
    message: (p) => `Cannot read ${p.name}: ${p.reason}`,
  }),
  FILE_NOT_FOUND: row<{ url: string; hint?: string | undefined }>({
    sqlState: '58P01',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A URL that the statement reads names nothing.',
    message: (p) => `${p.url} does not exist${p.hint ? ` (${p.hint})` : ''}`,
  }),
  FILE_TOO_LARGE: row<{ name: string; limitBytes: number }>({
    sqlState: '54000',
    httpStatus: 413,
    retry: 'never',
    meaning: 'A file from outside is over the limit (counted after its Content-Encoding is undone).',
    message: (p) => `${p.name} is over the limit of ${p.limitBytes} bytes`,
  }),
  LOCATION_NOT_ALLOWED: row<{ url: string; reason: string }>({
    sqlState: '42501',
    httpStatus: 403,
    retry: 'never',
    meaning: 'The engine may not read this URL or path.',
    message: (p) => `${p.url} may not be read: ${p.reason}`,
  }),
  EXTERNAL_READ_FAILED: row<{ url: string; reason: string }>({
    sqlState: '58030',
    httpStatus: 400,
    retry: 'client',
    meaning: 'A server outside the engine did not deliver a file.',
    message: (p) => `Reading ${p.url} failed: ${p.reason}`,
  }),

  // The catalog and its transactions
  UNDEFINED_OBJECT: row<{ what: string; name: string; nearest?: string | undefined }>({
    sqlState: '42704',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A schema, index, location, column or other object that the statement names does not exist.',
    message: (p) => `${p.what} "${p.name}" does not exist${p.nearest ? ` (did you mean ${p.nearest}?)` : ''}`,
  }),
  DUPLICATE_OBJECT: row<{ what: string; name: string }>({
    sqlState: '42P07',
    httpStatus: 400,
    retry: 'never',
    meaning: 'An object of this name exists already.',
    message: (p) => `${p.what} "${p.name}" already exists`,
  }),
  DEPENDENT_OBJECTS: row<Whole>({
    sqlState: '2BP01',
    httpStatus: 400,
    retry: 'never',
    meaning: 'Other objects need the one to be dropped; CASCADE drops them too.',
    message: whole,
  }),
  WRONG_OBJECT_TYPE: row<Whole>({
    sqlState: '42809',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The object exists, but is not of the kind that the statement works on.',
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
    meaning: 'A row does not meet a CHECK constraint of its table.',
    message: (p) => `A new row of table "${p.table}" violates the check constraint "${p.constraint}"`,
  }),
  GROUPING_ERROR: row<Whole>({
    sqlState: '42803',
    httpStatus: 400,
    retry: 'never',
    meaning:
      'A column or an aggregate or window function stands where GROUP BY, or its absence, does not allow it.',
    message: whole,
  }),
  CARDINALITY_VIOLATION: row<Whole>({
    sqlState: '21000',
    httpStatus: 400,
    retry: 'never',
    meaning: 'More rows than the statement can use, as two source rows of a MERGE for one target row.',
    message: whole,
  }),
  TRANSACTION_CONFLICT: row<Whole>({
    sqlState: '40001',
    httpStatus: 409,
    retry: 'query',
    meaning:
      'Another transaction changed the same data first; the statement or transaction can be run again.',
    message: whole,
  }),
  NO_TRANSACTION: row<Whole>({
    sqlState: '25P01',
    httpStatus: 400,
    retry: 'never',
    meaning: 'No transaction of this id is open, or the statement needs one.',
    message: whole,
  }),
  ACTIVE_TRANSACTION: row<Whole>({
    sqlState: '25001',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The statement cannot run inside a transaction, or not any more.',
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
    meaning: 'An earlier statement of the transaction failed; only ROLLBACK and ROLLBACK TO are taken.',
    message: () =>
      'The transaction is aborted: an earlier statement failed, only ROLLBACK is possible, or ROLLBACK TO a savepoint',
  }),
  NOT_LEADER: row<{ hint?: string | undefined }>({
    sqlState: '57P04',
    httpStatus: 503,
    retry: 'task',
    meaning: 'The storage manager that was asked does not lead any more.',
    message: (p) => `This storage manager does not lead${p.hint ? `; ${p.hint} may` : ''}`,
  }),
  PROTOCOL_MISMATCH: row<{ ours: number; theirs: string }>({
    sqlState: '08P01',
    httpStatus: 503,
    retry: 'never',
    meaning:
      'Two nodes speak different versions of the protocol between nodes: one of them is to be upgraded.',
    message: (p) =>
      `This node speaks version ${p.ours} of the protocol between nodes, the caller ${p.theirs}`,
  }),
  KERNEL_MISMATCH: row<{ ours: string; theirs: string }>({
    sqlState: '08P01',
    httpStatus: 503,
    retry: 'never',
    meaning:
      'Two nodes run different versions of the kernel: they would cut rows differently, so they do not share queries until one of them is upgraded.',
    message: (p) => `This node runs kernel ${p.ours}, the caller ${p.theirs}`,
  }),
  SECRET_KEY_MISSING: row<{ keyId: string }>({
    sqlState: '58000',
    httpStatus: 500,
    retry: 'never',
    meaning:
      'The credentials of a location or an external table are encrypted, and the node cannot decrypt them: it lacks the key, or they are damaged. Give every node the key in `TESSERA_SECRETS_KEY`, or create the location again.',
    message: (p) =>
      `The credentials were encrypted with the key ${p.keyId}, and this node cannot decrypt them: give it that key in TESSERA_SECRETS_KEY, or create the location again`,
  }),
  STORE_MISMATCH: row<{ ours: string; theirs: string }>({
    sqlState: '08P01',
    httpStatus: 503,
    retry: 'never',
    meaning:
      'Two nodes that are to share tables keep them in different places: what one of them writes the other could not read. Give both the same `instance.id` and the same `storage`, in their configurations, or another metadata service.',
    message: (p) =>
      `This node keeps its tables in ${p.ours}, the caller in ${p.theirs}. Nodes that share a metadata log need the same instance.id and the same storage in their configurations`,
  }),
  METADATA_UNAVAILABLE: row<{ reason: string }>({
    sqlState: '58030',
    httpStatus: 503,
    retry: 'client',
    meaning:
      'The metadata log cannot be reached. A commit under way may or may not have happened: ask again with its query id.',
    message: (p) => `The metadata log is unavailable: ${p.reason}`,
  }),
  CORRUPT_METADATA: row<{ what: string; reason: string }>({
    sqlState: 'XX001',
    httpStatus: 500,
    retry: 'never',
    meaning: 'The metadata log or a checkpoint is damaged, or was written by a newer version.',
    message: (p) => `The metadata is damaged or of a newer version (${p.what}): ${p.reason}`,
  }),

  // Managed storage
  OBJECT_NOT_FOUND: row<{ url: string }>({
    sqlState: '58P01',
    httpStatus: 500,
    retry: 'never',
    meaning: 'The object store does not have an object that should be there.',
    message: (p) => `${p.url} is not in the object store`,
  }),
  STORAGE_UNAVAILABLE: row<{ url: string; reason: string; outcome?: 'failed' | 'unknown' | undefined }>({
    sqlState: '58030',
    httpStatus: 503,
    retry: 'client',
    meaning: 'The object store did not answer, or answered with an error, after all tries.',
    message: (p) => `${p.url}: ${p.reason}${p.outcome === 'unknown' ? ' (it may have been written)' : ''}`,
  }),
  STORAGE_UNSUITABLE: row<Whole>({
    sqlState: '58030',
    httpStatus: 500,
    retry: 'never',
    meaning:
      'The object store lacks what a cluster rests on: conditional writes, or a listing that sees them.',
    message: whole,
  }),
  CORRUPT_TABLET: row<{ tablet: string; table: string; reason: string }>({
    sqlState: 'XX001',
    httpStatus: 500,
    retry: 'never',
    meaning: 'The object of a tablet is damaged in the store; it was fetched twice.',
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
    meaning: 'The URL and the headers of the HTTP request are too long.',
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
    meaning: 'A Content-Encoding that the engine does not know.',
    message: (p) =>
      `${p.part === undefined ? '' : `Part "${p.part}": `}unknown Content-Encoding "${p.coding}" (known: gzip, deflate, br, xz, zstd, lz4, snappy)`,
  }),
  UPLOAD_TOO_LARGE: row<{ part?: string | undefined; what: string; limit: string }>({
    sqlState: '54000',
    httpStatus: 413,
    retry: 'never',
    meaning: 'An upload is over a limit (sizes are counted after decompression).',
    message: (p) =>
      `${p.part === undefined ? '' : `Part "${p.part}": `}${p.what} is over the limit of ${p.limit}`,
  }),
  DISK_FULL: row<{ what: string }>({
    sqlState: '53100',
    httpStatus: 507,
    retry: 'client',
    meaning: 'The disk of the node has no room for the files of the request.',
    message: (p) => `No disk space left for ${p.what}`,
  }),
  DISK_FAILED: row<{ what: string; reason: string }>({
    sqlState: '58030',
    httpStatus: 503,
    retry: 'task',
    meaning: 'The disk of the node cannot be read or written. Another node may do the work.',
    message: (p) => `The disk of the node fails at ${p.what}: ${p.reason}`,
  }),

  // The life of a query
  QUERY_CANCELLED: row<{ reason: string }>({
    sqlState: '57014',
    httpStatus: 499,
    retry: 'never',
    meaning: 'The query was cancelled by a user, by a dropped connection or by shutdown.',
    message: (p) => `Query cancelled: ${p.reason}`,
  }),
  QUERY_NOT_FOUND: row<{ queryId: string }>({
    sqlState: '42704',
    httpStatus: 404,
    retry: 'never',
    meaning: 'No query with this id is running.',
    message: (p) => `No running query has the id ${p.queryId}`,
  }),
  QUERY_ID_IN_USE: row<{ queryId: string }>({
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
    meaning: 'The client sent or took no byte for longer than the engine waits.',
    message: (p) => `The client was silent for ${p.timeoutMs} ms`,
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
    meaning: 'The engine takes no further query at the moment.',
    message: (p) => `Query not admitted: ${p.reason}`,
  }),
  DRAINING: row<Record<never, never>>({
    sqlState: '57P01',
    httpStatus: 503,
    retry: 'client',
    meaning: 'The node is shutting down and takes no new query.',
    message: () => 'This node is shutting down; send the query to another node or later',
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
    meaning: 'The kernel process that ran the query ended under it.',
    message: whole,
  }),
  // Work on several nodes
  NODE_LOST: row<{ node: string; reason: string }>({
    sqlState: '58000',
    httpStatus: 503,
    retry: 'task',
    meaning:
      'A node does not answer any more. What it had to do is done by others, as long as no row of the result has left.',
    message: (p) => `Node ${p.node} is lost: ${p.reason}`,
  }),
  NODE_RESTARTED: row<{ node: string }>({
    sqlState: '58000',
    httpStatus: 503,
    retry: 'task',
    meaning: 'A node was started anew since the query was planned: what its predecessor left is gone.',
    message: (p) => `Node ${p.node} was restarted`,
  }),
  NO_NODES: row<{ reason: string }>({
    sqlState: '57P03',
    httpStatus: 503,
    retry: 'client',
    meaning: 'No node of the engine is left that could run the query.',
    message: (p) => `No node can run the query: ${p.reason}`,
  }),
  NO_PROGRESS: row<{ stages: string }>({
    sqlState: 'XX000',
    httpStatus: 500,
    retry: 'never',
    meaning: 'The stages of a distributed query wait for each other: a defect of the engine, worth a report.',
    message: (p) =>
      `The distributed query cannot make progress: stages ${p.stages} wait for rows that no task produces. Set enable_distributed_execution=false to run the query on one node, and report it.`,
  }),
  FETCH_FAILED: row<{ node: string; stage: number; task: number; attempt: number; reason: string }>({
    sqlState: '58000',
    httpStatus: 503,
    retry: 'task',
    meaning: 'What one node left for another could not be fetched, or came incomplete. It is made again.',
    message: (p) =>
      `The output of stage ${p.stage}, task ${p.task}, attempt ${p.attempt} could not be fetched from node ${p.node}: ${p.reason}`,
  }),
  SHUFFLE_SPACE_EXHAUSTED: row<{ node: string; reason: string }>({
    sqlState: '53100',
    httpStatus: 503,
    retry: 'client',
    meaning: 'A node has no room left, in memory and on disk, for what the nodes exchange.',
    message: (p) => `Node ${p.node} has no room left for what the nodes exchange: ${p.reason}`,
  }),
  PARTITION_MISMATCH: row<{ node: string; stage: number }>({
    sqlState: 'XX000',
    httpStatus: 500,
    retry: 'never',
    meaning:
      'Two nodes cut rows into different hash buckets. They must not work together: a result would be wrong.',
    message: (p) => `Node ${p.node} cuts the rows of stage ${p.stage} into other hash buckets than this node`,
  }),

  INVALID_ENCODING: row<{ what: string; bytes: string }>({
    sqlState: '22021',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A text that a client sends is not UTF-8, or has a NUL character, which no text has.',
    message: (p) => `invalid byte sequence for encoding "UTF8": ${p.bytes} (in ${p.what})`,
  }),

  // PostgreSQL connections
  PROTOCOL_VIOLATION: row<Whole>({
    sqlState: '08P01',
    httpStatus: 400,
    retry: 'never',
    meaning: 'A PostgreSQL client sent what the protocol does not allow; the connection ends.',
    message: whole,
  }),
  TOO_MANY_CONNECTIONS: row<{ limit: number }>({
    sqlState: '53300',
    httpStatus: 503,
    retry: 'client',
    meaning: 'The node has as many PostgreSQL connections as it takes.',
    message: (p) => `Too many connections: this node takes ${p.limit}`,
  }),
  TOO_MANY_LOGINS: row<Record<never, never>>({
    sqlState: '53300',
    httpStatus: 429,
    retry: 'client',
    meaning:
      'More passwords are shown at the same time than are checked: of one user, from one address, or on the node.',
    message: () => 'Too many logins at the same time; try again later',
  }),
  WRONG_PASSWORD: row<{ user: string }>({
    sqlState: '28P01',
    httpStatus: 401,
    retry: 'client',
    meaning: 'A PostgreSQL client did not show the password or token of the user it gave.',
    message: (p) => `Password authentication failed for user "${p.user}"`,
  }),
  UNDEFINED_PREPARED_STATEMENT: row<{ name: string }>({
    sqlState: '26000',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The connection has no prepared statement of this name.',
    message: (p) =>
      p.name === '' ? 'No statement is prepared' : `Prepared statement "${p.name}" does not exist`,
  }),
  DUPLICATE_PREPARED_STATEMENT: row<{ name: string }>({
    sqlState: '42P05',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The connection has a prepared statement of this name already.',
    message: (p) => `Prepared statement "${p.name}" already exists`,
  }),
  UNDEFINED_CURSOR: row<{ name: string }>({
    sqlState: '34000',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The connection has no cursor or portal of this name.',
    message: (p) => `Portal "${p.name}" does not exist`,
  }),
  DUPLICATE_CURSOR: row<{ name: string }>({
    sqlState: '42P03',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The connection has a cursor or portal of this name already.',
    message: (p) => `Cursor "${p.name}" already exists`,
  }),
  IDLE_SESSION: row<{ timeoutMs: number }>({
    sqlState: '57P05',
    httpStatus: 408,
    retry: 'client',
    meaning: 'A PostgreSQL client was silent for longer than its idle_session_timeout; the connection ends.',
    message: (p) => `The connection was idle for ${p.timeoutMs} ms (idle_session_timeout)`,
  }),
  IDLE_TRANSACTION: row<{ timeoutMs: number }>({
    sqlState: '25P03',
    httpStatus: 408,
    retry: 'client',
    meaning:
      'A PostgreSQL client was silent inside a transaction for longer than its idle_in_transaction_session_timeout; the connection ends.',
    message: (p) => `The transaction was idle for ${p.timeoutMs} ms (idle_in_transaction_session_timeout)`,
  }),
  READ_ONLY_TRANSACTION: row<{ what: string }>({
    sqlState: '25006',
    httpStatus: 400,
    retry: 'never',
    meaning: 'The statement changes something, and its transaction was begun READ ONLY.',
    message: (p) => `${p.what} cannot run in a read-only transaction`,
  }),

  INTERNAL: row<{ incident: string }>({
    sqlState: 'XX000',
    httpStatus: 500,
    retry: 'never',
    meaning: 'A defect of the engine; the log has the details under the incident id.',
    message: (p) => `Internal error, incident ${p.incident}`,
  }),
} as const;

export type ErrorName = keyof typeof ERRORS;
export type ErrorParams<N extends ErrorName> = Parameters<(typeof ERRORS)[N]['message']>[0];
