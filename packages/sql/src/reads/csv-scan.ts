import { TesseraError } from '@tessera/common';
import { type BindingSession, type KernelColumn, quoteText } from '@tessera/kernel';
import { call, constant, type FunctionNode } from '../tree.ts';
import type { ReadArguments } from './read-arguments.ts';
import { compressionOf, literalText, namedArgument, type ScanValue } from './scan-arguments.ts';
import { type Warn, warnOfStrayValues } from './stray-values.ts';
import { mayNameNul, refuseName, requireValidNames } from './valid-names.ts';

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

/** CSV files as the kernel reads them: columns that were inferred as integers as text. */
interface CsvReading {
  readonly settings: readonly Setting[];
  readonly names: readonly string[];
  readonly integers: readonly string[];
  /** The columns that are text in the files. */
  readonly texts: readonly string[];
}

/**
 * The kernel's scan of CSV files. Delimiter, quote and header are always given, never guessed, and no line is a comment. The
 * number of columns, and on request their types, are inferred from the files.
 * @throws TesseraError BAD_FILE if the files do not match these settings
 */
export async function csvScan(
  args: ReadArguments,
  paths: readonly string[],
  session: BindingSession,
  warn?: Warn,
): Promise<FileScanCall> {
  const sniffed = paths.length === 1 ? await sniffedReading(args, paths[0]!, session) : undefined;
  const { settings, names, integers, texts } = sniffed ?? (await boundReading(args, paths, session));
  if (args.options.infer_schema === true && warn !== undefined)
    await warnOfStrayValues({ scan: scanText(paths, settings), texts, url: args.url, session, warn });
  const scan = call(
    'read_csv',
    call('list_value', ...paths.map((path) => constant(path))),
    ...settings.flatMap(([name, value]) => namedArgument(name, value)),
  );
  return { scan, columns: names, integers: new Set(integers) };
}

/**
 * Infers the dialect and the columns of a file once, for all statements of the kernel that read it, those that only plan the
 * query included. With settings that leave anything open, the kernel infers everything again whenever it binds one.
 * @returns undefined if it fails: binding the file reports the failure, or reads the file (an empty one, for example)
 */
async function sniffedReading(
  args: ReadArguments,
  path: string,
  session: BindingSession,
): Promise<CsvReading | undefined> {
  const open = openSettings(args);
  const file = await sniff(session, path, open).catch(() => undefined);
  if (file === undefined) return undefined;
  const columns = file.Columns.map(({ name, type }, index) => ({
    name: args.options.header === true ? name : `f${index}`,
    type,
  }));
  const ofType = (type: string) => columns.filter((column) => column.type === type).map(({ name }) => name);
  const names = columns.map(({ name }) => name);
  if (names.some((name) => name.includes('\0'))) refuseName(args.url);
  const fields = columns.map(({ name, type }) => [name, type === 'BIGINT' ? 'VARCHAR' : type] as const);
  return {
    settings: [
      ...open.filter(([name]) => name !== 'all_varchar' && name !== 'skip'),
      ['auto_detect', false],
      ['new_line', file.NewLineDelimiter],
      ['skip', file.SkipRows],
      ['columns', { fields }],
      ...formatSettings(file),
    ],
    names,
    integers: ofType('BIGINT'),
    texts: ofType('VARCHAR'),
  };
}

/** With these settings, the kernel infers the columns whenever it binds the scan. */
async function boundReading(
  args: ReadArguments,
  paths: readonly string[],
  session: BindingSession,
): Promise<CsvReading> {
  const { settings, columns } = await described(args, paths, session);
  const ofType = (id: string) => columns.filter(({ type }) => type.id === id).map(({ name }) => name);
  return {
    settings: withTextIntegers(columns, settings),
    names: columns.map(({ name }) => name),
    integers: ofType('BIGINT'),
    texts: ofType('VARCHAR'),
  };
}

/** Settings with which columns that were inferred as integers are read as text. */
function withTextIntegers(
  columns: readonly KernelColumn[],
  settings: readonly Setting[],
): readonly Setting[] {
  const fields = columns
    .filter(({ type }) => type.id === 'BIGINT')
    .map(({ name }) => [name, 'VARCHAR'] as const);
  return fields.length === 0 ? settings : [...settings, ['types', { fields }]];
}

/**
 * The columns of a CSV file, and the settings with which the kernel's `read_csv` reads it and files like it, as SQL: columns
 * of type BIGINT as text.
 * @throws TesseraError BAD_FILE if the file does not match the arguments
 */
export async function csvColumns(
  args: ReadArguments,
  path: string,
  session: BindingSession,
): Promise<{ readonly columns: readonly KernelColumn[]; readonly settings: string }> {
  const { settings, columns } = await described(args, [path], session);
  return { columns, settings: settingsText(withTextIntegers(columns, settings)) };
}

/** The answer of the kernel's `sniff_csv` about a file. A format is null if no column has values that need it. */
interface SniffedFile {
  readonly Columns: readonly { readonly name: string; readonly type: string }[];
  readonly NewLineDelimiter: string;
  readonly SkipRows: number;
  readonly DateFormat: string | null;
  readonly TimestampFormat: string | null;
}

async function sniff(
  session: BindingSession,
  path: string,
  settings: readonly Setting[],
): Promise<SniffedFile> {
  const scan = `sniff_csv(${quoteText(path)}, ${settingsText(settings)})`;
  return JSON.parse(String(await session.scalar(`SELECT to_json(s)::VARCHAR FROM ${scan} AS s`)));
}

/** The format in which the kernel reads dates if none is given, which takes other spellings of them, too. */
const OWN_DATE_FORMAT = '%Y-%m-%d';

const formatSettings = ({
  DateFormat: date,
  TimestampFormat: timestamp,
}: SniffedFile): readonly Setting[] => [
  ['dateformat', date === OWN_DATE_FORMAT ? undefined : (date ?? undefined)],
  ['timestampformat', timestamp ?? undefined],
];

/**
 * The formats of dates and times that INFER_SCHEMA finds in a file, as settings of the kernel's `read_csv`.
 * @throws TesseraError BAD_FILE if the file does not match the arguments
 */
export async function inferredFormats(
  args: ReadArguments,
  path: string,
  session: BindingSession,
): Promise<readonly string[]> {
  const file = await sniff(session, path, [...csvSettings(args), ...STRICT]);
  return settingTexts(formatSettings(file));
}

const openSettings = (args: ReadArguments): readonly Setting[] => [
  ...csvSettings(args),
  ...(args.options.null_padding === true ? PADDED : STRICT),
];

async function described(args: ReadArguments, paths: readonly string[], session: BindingSession) {
  const settings = openSettings(args);
  const columns = await lookUp(session, paths, settings, args.url);
  if (args.options.header !== true) {
    const names = columns.map((_, index) => `f${index}`);
    const named: readonly Setting[] = [...settings, ['names', names]];
    return { settings: named, columns: columns.map((column, index) => ({ ...column, name: names[index]! })) };
  }
  const [first] = paths;
  if (first !== undefined && (await mayNameNul(first, compressionOf(args))))
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
  session: BindingSession,
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

const settingsText = (settings: readonly Setting[]): string => settingTexts(settings).join(', ');

const settingTexts = (settings: readonly Setting[]): readonly string[] =>
  settings.flatMap(([name, value]) => (value === undefined ? [] : [`${name} = ${literalText(value)}`]));
