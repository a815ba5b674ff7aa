import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Writes docs/limits.md. Every number is read from the source that enforces it, so that the page fails the check when a
 * limit changes or moves. With `--check` it only reports whether the page is stale.
 */
const root = dirname(import.meta.dirname);

/** Returns the value of a constant or property in a source file, given its package and its name. */
function limitIn(source: string, name: string): number {
  const [packageName = '', ...file] = source.split('/');
  const [path, ...others] = globSync(`packages/${packageName}/src/**/${file.join('/')}`, { cwd: root });
  if (path === undefined || others.length > 0)
    throw new Error(`There are ${path === undefined ? 'no' : 'several'} sources ${source}`);
  const text = readFileSync(join(root, path), 'utf8');
  const [, expression = '', ...more] =
    text.match(new RegExp(String.raw`\b${name}\b\s*[:=]\s*([\d_ *<]+)[,;]`)) ?? [];
  if (expression === '' || more.length > 0) throw new Error(`${path} has no number named ${name}`);
  const [left = '', right] = expression.replaceAll('_', '').split('<<');
  const product = left.split('*').reduce((value, factor) => value * Number(factor), 1);
  return right === undefined ? product : product * 2 ** Number(right);
}

const count = (source: string, name: string): string => limitIn(source, name).toLocaleString('en-US');
const seconds = (source: string, name: string): string => `${limitIn(source, name) / 1000} s`;

function bytes(source: string, name: string): string {
  const value = limitIn(source, name);
  if (value >= 1e9 && value % 1e9 === 0) return `${value / 1e9} GB`;
  return value % 2 ** 20 === 0 ? `${value / 2 ** 20} MiB` : `${value / 2 ** 10} KiB`;
}

const SIZE = 'sql/statement-size.ts';
const DEPTH = 'sql/parse.ts';
const REPEATED = 'sql/repeated-operands.ts';
const WRITTEN = 'sql/written-size.ts';
const EXPANDED = 'sql/expanded-size.ts';
const SOURCE = 'sql/source.ts';
const UPLOAD = 'http-api/limits.ts';
const HEAD = 'http-api/malformed-request.ts';
const POSTGRES = 'postgres-api/postgres-server.ts';
const ARROW = 'readers/arrow/limits.ts';
const AVRO = 'readers/avro/limits.ts';

type Row = readonly [what: string, limit: string, beyond: string];

const SECTIONS: readonly (readonly [title: string, text: string, rows: readonly Row[]])[] = [
  [
    'SQL statements',
    'Planning time grows with these counts, in part with their square. A statement beyond a limit fails before it is planned, with `STATEMENT_TOO_COMPLEX` unless another error is named.',
    [
      [
        'length of a statement',
        `${count(SOURCE, 'MAX_STATEMENT_CHARACTERS')} characters; over HTTP ${bytes(UPLOAD, 'sqlBytes')}`,
        '`SYNTAX_ERROR`, `UPLOAD_TOO_LARGE`. Send values as parameters, or rows with COPY or as an upload',
      ],
      [
        'tokens: keywords, names, literals, symbols',
        `${count(SIZE, 'tokens')}; in an INSERT ${count(SIZE, 'insertTokens')}`,
        'pass a list as one array parameter, as in `x = ANY($1)`',
      ],
      ['columns in a SELECT list', count(SIZE, 'columns'), 'select fewer, or use arrays or structs'],
      [
        'columns of a table',
        count('coordinator/catalog/columns.ts', 'MAX_COLUMNS'),
        '`TOO_MANY_COLUMNS`. Use arrays, structs or json',
      ],
      [
        'joins in one query, with JOIN or a comma',
        count(SIZE, 'joins'),
        'put parts into subqueries with GROUP BY or LIMIT, or into temporary tables',
      ],
      [
        'joins in all queries of a statement',
        count(SIZE, 'allJoins'),
        'split the statement, with temporary tables',
      ],
      [
        'set operations (UNION, INTERSECT, EXCEPT)',
        count(SIZE, 'setOperations'),
        'insert into a temporary table in several statements',
      ],
      [
        'conditions joined with AND or OR, without those in further brackets',
        count(SIZE, 'conditions'),
        'use `x IN (…)` or `x = ANY($1)`, or join a temporary table',
      ],
      ['levels of scalar subqueries', count(SIZE, 'valueSubqueries'), 'use joins'],
      ['names in WITH clauses', count(SIZE, 'ctes'), 'use temporary tables'],
      [
        'tokens that CASE repeats: those before the first WHEN, once for every other WHEN, also in each other',
        count(SIZE, 'repeatedTokens'),
        'compute the value in a subquery',
      ],
      [
        'copies of parts of expressions: functions such as `split_part`, BETWEEN, and names of columns of the same SELECT list repeat their arguments, also in each other',
        count(EXPANDED, 'MAX_COPIED_PARTS'),
        'nest fewer calls, or compute the inner ones in a subquery',
      ],
      [
        'copies of parts of operands that are compared several times, with BETWEEN, OVERLAPS, LIKE ANY or as rows, also in each other',
        count(REPEATED, 'MAX_REPEATED_PARTS'),
        'compute the operands in a subquery',
      ],
      [
        'parts of an expression in the terms of the kernel; `to_char(x, …)` has some for each part of its pattern, also in each other',
        count(WRITTEN, 'MAX_WRITTEN_PARTS'),
        'nest fewer calls, or compute the inner ones in a subquery',
      ],
      [
        'grouping sets of a query; `CUBE (a, b, c)` has eight',
        count(DEPTH, 'groupingSets'),
        'group by fewer columns, or in several statements',
      ],
      ['parameters', count(SIZE, 'parameters'), 'pass arrays'],
      [
        'levels of an expression; `a + b + c` has two',
        count(DEPTH, 'levels'),
        'use functions of many arguments, such as `concat(a, b, c)`',
      ],
      [
        `expressions with more than ${count(DEPTH, 'deepLevels')} levels`,
        count(DEPTH, 'deepExpressions'),
        'the same',
      ],
      ['levels of parentheses', count(SOURCE, 'MAX_NESTING'), '`SYNTAX_ERROR`'],
      [
        'notices of a statement',
        count('coordinator/notices.ts', 'MAX_NOTICES'),
        'further notices are dropped',
      ],
    ],
  ],
  [
    'HTTP requests and uploads',
    'Sizes are counted after decompression, while the bytes arrive: a request beyond a limit is answered at once.',
    [
      [
        'all file parts of a request together',
        bytes(UPLOAD, 'fileBytes'),
        '`UPLOAD_TOO_LARGE`. Send several requests, or load from a bucket with COPY',
      ],
      ['the SQL part, or a plain body', bytes(UPLOAD, 'sqlBytes'), '`UPLOAD_TOO_LARGE`'],
      ['parts', count(UPLOAD, 'parts'), '`UPLOAD_TOO_LARGE`'],
      ['headers of all parts together', bytes(UPLOAD, 'headerBytes'), '`UPLOAD_TOO_LARGE`'],
      ['headers of the request', bytes(HEAD, 'MAX_HEADER_BYTES'), '`HEADERS_TOO_LARGE`'],
      [
        'URL and headers of the request together',
        bytes(HEAD, 'MAX_HEAD_BYTES'),
        '`HEADERS_TOO_LARGE`. Send parameters in the body',
      ],
      ['time without a byte from the client', seconds(UPLOAD, 'idleMs'), '`CLIENT_TOO_SLOW`'],
      ['disk space that uploads leave free', bytes(UPLOAD, 'diskReserveBytes'), '`DISK_FULL`'],
    ],
  ],
  [
    'PostgreSQL connections',
    '',
    [
      ['connections of a node', count(POSTGRES, 'maxConnections'), '`TOO_MANY_CONNECTIONS`. Use a pool'],
      ['a message of the client', bytes(POSTGRES, 'maxMessageBytes'), 'the connection is closed'],
      ['rows of one COPY FROM STDIN', bytes(POSTGRES, 'maxCopyBytes'), '`FILE_TOO_LARGE`. Split the file'],
      [
        'a line of COPY FROM STDIN',
        bytes('readers/copy-batches.ts', 'MAX_LINE_BYTES'),
        'the statement fails and names the line',
      ],
    ],
  ],
  [
    'Files',
    '',
    [
      [
        'a record of a CSV file',
        bytes('sql/csv-scan.ts', 'CSV_BUFFER_BYTES'),
        '`BAD_FILE`. Use Parquet or JSON for long texts',
      ],
      ['a line that READ_TEXT reads', bytes('sql/bootstrap.ts', 'MAX_LINE_BYTES'), '`BAD_FILE`'],
      ['levels of nested types in Avro', count('readers/avro/schema.ts', 'MAX_DEPTH'), 'the file is refused'],
      [
        'levels of nested types in Arrow',
        count('readers/check-metadata.ts', 'MAX_DEPTH'),
        'the file is refused',
      ],
      ['columns of an Avro file, with all nested fields', count(AVRO, 'MAX_COLUMNS'), 'the file is refused'],
      ['a block of an Avro file, uncompressed', bytes(AVRO, 'MAX_BLOCK_BYTES'), 'write smaller blocks'],
      ['header of an Avro file', bytes(AVRO, 'MAX_HEADER_BYTES'), 'the file is refused'],
      ['metadata of an Arrow message', bytes(ARROW, 'MAX_METADATA_BYTES'), 'the file is refused'],
      [
        'a compressed record batch of Arrow, unpacked',
        bytes(ARROW, 'MAX_UNPACKED_BATCH_BYTES'),
        'write smaller batches',
      ],
      [
        'objects that a pattern matches',
        count('object-store/object-matches.ts', 'MAX_MATCHES'),
        'use a narrower pattern',
      ],
      [
        'an object that must be downloaded before it is read',
        bytes('coordinator/file-parts.ts', 'MAX_DOWNLOAD_BYTES'),
        '`FILE_TOO_LARGE`. Split the file, or use Parquet, which is read in parts',
      ],
    ],
  ],
  [
    'Types and values',
    '',
    [
      [
        'a value that `repeat`, `array_fill` or `list_resize` makes',
        bytes('sql/functions/string.ts', 'MAX_REPEATED_BYTES'),
        'the statement fails. Join shorter values with `||`',
      ],
      [
        'a text that `lpad`, `rpad` or a width in `format` makes',
        `${count('sql/functions/string.ts', 'MAX_PADDED_CHARACTERS')} characters`,
        'the statement fails. Use `repeat`',
      ],
      [
        'the product of the lengths of two texts that `levenshtein` and the like compare',
        count('sql/functions/string.ts', 'MAX_COMPARED_CHARACTERS'),
        'the statement fails',
      ],
      ['digits of a NUMERIC', count('sql/column-type.ts', 'MAX_PRECISION'), 'use DOUBLE'],
      [
        'dimensions of an array literal such as `{{1,2},{3,4}}`',
        count('sql/postgres-array.ts', 'MAX_DIMENSIONS'),
        'the value is refused',
      ],
    ],
  ],
  [
    'Execution and history',
    '',
    [
      [
        'attempts of a statement that meets conflicts',
        `${count('common/retry-policy.ts', 'MAX_COMMIT_ATTEMPTS')}, within ${seconds('coordinator/commit-change.ts', 'MAX_TRYING_MS')}`,
        '`TRANSACTION_CONFLICT`. Send it again',
      ],
      [
        'time until a cancelled statement fails, if the kernel does not notice the interrupt',
        seconds('kernel/session-socket.ts', 'MAX_INTERRUPT_MS'),
        'the statement fails, and its call is left to itself',
      ],
      [
        'time for which such a call goes on after that',
        seconds('kernel/session-socket.ts', 'MAX_ABANDONED_MS'),
        `another kernel process takes over; the old one is ended after ${seconds('kernel/supervisor.ts', 'MAX_BESIDE_STUCK_MS')} at the latest, and its other statements are retried`,
      ],
      [
        'queries or samples that a read of a history returns',
        `the latest ${count('coordinator/stored-history.ts', 'MAX_RECORDS')}; their texts together ${count('coordinator/stored-history.ts', 'MAX_CHARACTERS')} characters`,
        'older ones are left out',
      ],
      [
        'age of a record in a history',
        `${count('coordinator/stored-history.ts', 'MAX_AGE_DAYS')} days`,
        'it is deleted',
      ],
      [
        'objects of one history that a node keeps',
        `${count('coordinator/stored-history.ts', 'MAX_SEGMENTS')}, of ${count('coordinator/stored-history.ts', 'SEGMENT_RECORDS')} records or more each`,
        'the oldest are deleted',
      ],
      [
        'text of a query in the history',
        `${count('coordinator/query-history.ts', 'MAX_TEXT')} characters`,
        'it is cut',
      ],
    ],
  ],
  [
    'Users and logins',
    '',
    [
      [
        'length of a password',
        `${count('auth/credential.ts', 'MAX_PASSWORD_LENGTH')} characters`,
        'the password is refused',
      ],
      [
        'length of a token',
        `${count('auth/check-token.ts', 'MAX_TOKEN_LENGTH')} characters`,
        'the token is refused',
      ],
      [
        'length of a user name made from claims',
        `${count('auth/username-template.ts', 'MAX_LENGTH')} characters`,
        'the token is refused',
      ],
    ],
  ],
];

const page = [
  '<!-- Written by scripts/generate-limits.ts from the sources that enforce the limits. -->',
  '# Limits',
  '',
  'Fixed limits of a node, and what happens beyond them. For limits that you can set, see the parameters for memory, threads and',
  'admission in [configuration.md](configuration.md) and `statement_timeout` and `max_result_rows` in [settings](sql/settings.md). For the',
  'errors, see [errors.md](errors.md).',
  ...SECTIONS.flatMap(([title, text, rows]) => [
    ...['', `## ${title}`, ''],
    ...(text === '' ? [] : [text, '']),
    ...['| what | limit | beyond it |', '|---|---|---|'],
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ]),
  '',
  '## No fixed limit',
  '',
  'Rows and size of tables, number of tables and tablets, size of results (they are streamed) and length of TEXT values',
  'are limited by memory and disk only. A query that needs more memory than `engine.max_server_memory_usage` allows spills to disk, and',
  'fails with `OUT_OF_MEMORY` if that does not suffice.',
  '',
].join('\n');

const path = join(root, 'docs', 'limits.md');
if (!process.argv.includes('--check')) writeFileSync(path, page);
else if (readFileSync(path, 'utf8') !== page) {
  process.stdout.write('docs/limits.md is stale: run node scripts/generate-limits.ts\n');
  process.exitCode = 1;
}
