import { TesseraError } from '@tessera/common';
import { type KernelColumn, type KernelSession, quoteText } from '@tessera/kernel';
import { call, constant, type FunctionNode } from '../tree.ts';
import type { ReadArguments } from './read-arguments.ts';
import { compressionOf, literalText, namedArgument, type ScanValue } from './scan-arguments.ts';
import { type Warn, warnOfStrayValues } from './stray-values.ts';
import { mayNameNul, requireValidNames } from './valid-names.ts';

/** A call of the kernel that scans files. */
export interface FileScanCall {
  readonly scan: FunctionNode;
  /** The names of all columns. */
  readonly columns: readonly string[];
  /**
   * The columns that the scan returns as text although they were inferred as integers. The kernel reads only the beginning of the
   * files to infer types, and would round `1.75` in a later record.
   */
  readonly integers: ReadonlySet<string>;
}

type Setting = readonly [name: string, value: ScanValue | undefined];

/**
 * The kernel's scan of CSV files. Delimiter, quote and header are always given, never guessed, and no line is a comment. The
 * number of columns, and on request their types, are inferred from the files.
 * @throws TesseraError BAD_FILE if the files do not match these settings
 */
export async function csvScan(
  args: ReadArguments,
  paths: readonly string[],
  session: KernelSession,
  warn?: Warn,
): Promise<FileScanCall> {
  const { settings, columns } = await described(args, paths, session);
  if (args.options.infer_schema === true && warn !== undefined) {
    const scan = scanText(paths, [
      ...settings.filter(([name]) => name !== 'all_varchar'),
      ['all_varchar', true],
    ]);
    await warnOfStrayValues({ scan, columns, url: args.url, session, warn });
  }
  const { integers, all } = withTextIntegers(columns, settings);
  const scan = call(
    'read_csv',
    call('list_value', ...paths.map((path) => constant(path))),
    ...all.flatMap(([name, value]) => namedArgument(name, value)),
  );
  return { scan, columns: columns.map(({ name }) => name), integers: new Set(integers) };
}

/** Settings with which columns that were inferred as integers are read as text. */
function withTextIntegers(columns: readonly KernelColumn[], settings: readonly Setting[]) {
  const integers = columns.filter(({ type }) => type.id === 'BIGINT').map(({ name }) => name);
  const fields = Object.fromEntries(integers.map((name) => [name, 'VARCHAR']));
  const all: readonly Setting[] = integers.length === 0 ? settings : [...settings, ['types', { fields }]];
  return { integers, all };
}

/**
 * The columns of a CSV file, and the settings with which the kernel's `read_csv` reads it and files like it, as SQL: columns
 * of type BIGINT as text.
 * @throws TesseraError BAD_FILE if the file does not match the arguments
 */
export async function csvColumns(
  args: ReadArguments,
  path: string,
  session: KernelSession,
): Promise<{ readonly columns: readonly KernelColumn[]; readonly settings: string }> {
  const { settings, columns } = await described(args, [path], session);
  return { columns, settings: settingsText(withTextIntegers(columns, settings).all) };
}

/** The formats of dates and times that the kernel's `sniff_csv` finds; null if it needs none. */
interface SniffedFormats {
  readonly DateFormat: string | null;
  readonly TimestampFormat: string | null;
}

/**
 * The formats of dates and times that INFER_SCHEMA finds in a file, as settings of the kernel's `read_csv`.
 * @throws TesseraError BAD_FILE if the file does not match the arguments
 */
export async function inferredFormats(
  args: ReadArguments,
  path: string,
  session: KernelSession,
): Promise<readonly string[]> {
  const scan = `sniff_csv(${quoteText(path)}, ${settingsText([...csvSettings(args), ...STRICT])})`;
  const found = await session.scalar(`SELECT to_json(s)::VARCHAR FROM ${scan} AS s`);
  const { DateFormat: date, TimestampFormat: timestamp } = JSON.parse(String(found)) as SniffedFormats;
  return [
    ...(date === null ? [] : [`dateformat = ${quoteText(date)}`]),
    ...(timestamp === null ? [] : [`timestampformat = ${quoteText(timestamp)}`]),
  ];
}

async function described(args: ReadArguments, paths: readonly string[], session: KernelSession) {
  const settings = [...csvSettings(args), ...(args.options.null_padding === true ? PADDED : STRICT)];
  const columns = await lookUp(session, paths, settings, args.url);
  if (args.options.header !== true) {
    const names = columns.map((_, index) => `f${index}`);
    const named: readonly Setting[] = [...settings, ['names', names]];
    return { settings: named, columns: columns.map((column, index) => ({ ...column, name: names[index]! })) };
  }
  if (await mayNameNul('csv', paths, compressionOf(args)))
    await requireValidNames(session, scanText(paths, settings), args.url);
  return { settings, columns };
}

function csvSettings(args: ReadArguments): readonly Setting[] {
  const { options, url } = args;
  const isTsv = /\.tsv(?:\.\w+)?$/i.test(url);
  const quote = options.quote ?? '"';
  return [
    ['delim', options.delimiter ?? (isTsv ? '\t' : ',')],
    ['quote', quote],
    ['escape', options.escape ?? quote],
    ['header', options.header === true],
    ['comment', NO_COMMENT],
    ['nullstr', nullTexts(options)],
    ['allow_quoted_nulls', false],
    ['compression', compressionOf(args)],
    ['all_varchar', options.infer_schema !== true],
    ['buffer_size', CSV_BUFFER_BYTES],
    ['hive_partitioning', false],
  ];
}

/**
 * The bytes that the kernel reserves for each buffer of a CSV file, however small the file is. With the
 * kernel's default (32 MB), a few concurrent reads of tiny files reserve more than a kernel process of a
 * small node may have.
 */
export const CSV_BUFFER_BYTES = 8 << 20;

/** Otherwise the kernel takes a record that begins with `#` for a comment if other records do not, and leaves it out. */
const NO_COMMENT = '';

/**
 * The kernel requires at least one text for NULL. If no text means NULL, this one, which no text file
 * contains, is passed.
 */
const NO_NULL = '\u{10FFFE}\u{10FFFF}';

/** The texts of unquoted fields that mean NULL. */
export function nullTexts({
  null_string,
  empty_field_as_null,
}: Pick<ReadArguments['options'], 'null_string' | 'empty_field_as_null'>): readonly string[] {
  const nulls = [
    ...(null_string === undefined ? [] : [null_string]),
    ...(empty_field_as_null === false ? [] : ['']),
  ];
  return nulls.length === 0 ? [NO_NULL] : nulls;
}

/** `skip = 0` keeps the kernel from skipping first lines whose number of fields differs from later lines. */
const STRICT: readonly Setting[] = [['skip', 0]];

/** Settings for NULL_PADDING. The kernel reads such files with one thread only. */
const PADDED: readonly Setting[] = [
  ['null_padding', true],
  ['parallel', false],
];

async function lookUp(
  session: KernelSession,
  paths: readonly string[],
  settings: readonly Setting[],
  url: string,
): Promise<readonly KernelColumn[]> {
  try {
    const { columns } = await session.describe(`SELECT * FROM ${scanText(paths, settings)}`);
    return columns;
  } catch (cause) {
    if (!(cause instanceof TesseraError) || !/sniffing file/.test(cause.message)) throw cause;
    const [delimiter, quote] = settings.map(([, value]) => JSON.stringify(value));
    const reason = `it is not a CSV file with DELIMITER ${delimiter} and QUOTE ${quote}: its lines have different numbers of fields, a quote is not closed, or text follows one`;
    const resolution =
      'Give DELIMITER, QUOTE and ESCAPE as the file has them; NULL_PADDING => TRUE fills short lines with NULL.';
    throw TesseraError.of('BAD_FILE', { name: url, reason }, { cause, resolution });
  }
}

/** The scan as SQL. */
const scanText = (paths: readonly string[], settings: readonly Setting[]): string =>
  `read_csv(${literalText(paths)}, ${settingsText(settings)})`;

function settingsText(settings: readonly Setting[]): string {
  const given = settings.filter(([, value]) => value !== undefined);
  return given.map(([name, value]) => `${name} = ${literalText(value!)}`).join(', ');
}
