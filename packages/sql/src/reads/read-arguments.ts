import { fail, nearestName, type SqlLocation } from '@tessera/common';
import type { Expression, TableFunctionRef } from '../tree.ts';
import { stringLiteral } from '../tree.ts';
import { belowLocation } from './below-location.ts';
import type { ReadFunction, ReadOptions } from './read-call.ts';
import { COMPRESSIONS, CREDENTIALS, type OptionType, READ_FUNCTIONS } from './read-options.ts';

/** Two options have other names in the `CREDENTIALS = (…)` clause of statements. */
const NAMES_IN_CREDENTIALS: Readonly<Record<string, string>> = {
  aws_key_id: 'aws_access_key_id',
  aws_secret_key: 'aws_secret_access_key',
};
export const isReadFunction = (name: string): name is ReadFunction => Object.hasOwn(READ_FUNCTIONS, name);

export interface ReadArguments {
  readonly function: ReadFunction;
  readonly url: string;
  readonly options: ReadOptions;
  /** The URL of the LOCATION, outside of which the statement may not read. */
  readonly within?: string | undefined;
}

/** A location of the catalog: its URL and the credentials for it. */
export interface StorageLocation {
  readonly url: string;
  readonly credentials: Readonly<Record<string, string>>;
}

/** The location that a READ_* call names with `LOCATION => 'l'`, if any. */
export function namedLocation(ref: TableFunctionRef): string | undefined {
  for (const argument of ref.function.children) {
    const named = namedArgument(argument);
    if (named?.name.toLowerCase() === 'location') return stringLiteral(named.value);
  }
  return undefined;
}

/**
 * Parses the arguments of a READ_* call.
 * @param storage the definition of its LOCATION
 * @throws TesseraError INVALID_ARGUMENT that names the argument which is unknown, missing, repeated or of the
 * wrong type
 */
export function readArguments(
  ref: TableFunctionRef,
  location: SqlLocation | undefined,
  storage?: StorageLocation,
): ReadArguments {
  const name = ref.function.function_name.toLowerCase() as ReadFunction;
  const call = name.toUpperCase();
  const invalid = (what: string): never =>
    fail('INVALID_ARGUMENT', { message: `${call}: ${what}` }, { location });
  const options: Record<string, string | boolean> = {};
  let url: string | undefined;
  for (const argument of ref.function.children) {
    const named = namedArgument(argument);
    if (named === undefined) {
      if (url !== undefined) invalid('takes one positional argument, the URL; give others as NAME => value');
      url = stringLiteral(argument) ?? invalid('the URL must be a string literal');
      continue;
    }
    const option = named.name.toLowerCase();
    const known = READ_FUNCTIONS[name].options;
    const type = Object.hasOwn(known, option) ? known[option]!.type : undefined;
    if (type === undefined) invalid(unknownArgument(option, Object.keys(known)));
    if (Object.hasOwn(options, option)) invalid(`argument ${option.toUpperCase()} is specified twice`);
    options[option] =
      readOption(named.value, type!) ?? invalid(`argument ${option.toUpperCase()} ${EXPECTED[type!]}`);
  }
  const { location: storageLocation, pattern, url: namedUrl, ...typed } = options;
  if (typeof namedUrl === 'string') {
    if (url !== undefined) invalid('argument URL is specified twice');
    url = namedUrl;
  }
  if (storageLocation !== undefined) {
    if (url !== undefined) invalid('takes a URL or a LOCATION, not both');
    if (storage === undefined) fail('NOT_SUPPORTED', { what: `${call} with LOCATION here` }, { location });
    const wanted = pattern ?? (name === 'list_objects' ? '**' : undefined);
    url = wanted === undefined ? storage.url : belowLocation(storage.url, String(wanted), location);
    Object.assign(typed, { ...credentialsIn(storage.credentials), ...typed });
  } else if (pattern !== undefined) invalid('PATTERN goes with LOCATION; a URL may be a pattern itself');
  if (url === undefined) return invalid('the URL to read is missing');
  checkUrl(url, invalid);
  if (name === 'list_objects' && /^upload:/i.test(url)) invalid('uploads are not listed');
  if ((name === 'read_iceberg' || name === 'read_delta') && !isFolder(url))
    invalid(`${url} cannot be the folder of a table, which is in object storage or on a disk of the node`);
  return {
    function: name === 'read_files' ? byExtension(url, invalid) : name,
    url,
    options: typed,
    within: storage?.url,
  };
}

/**
 * The arguments for reading a file that FROM names without a function, as far as they follow from its URL.
 * @param storage the location that it is in
 * @throws TesseraError INVALID_ARGUMENT if its name does not say its format, or if it leaves the location
 */
export function fileArguments(
  url: string,
  storage: StorageLocation | undefined,
  location: SqlLocation | undefined,
): ReadArguments {
  const invalid = (what: string): never => fail('INVALID_ARGUMENT', { message: what }, { location });
  if (storage !== undefined) belowLocation(storage.url, url.slice(storage.url.length), location);
  return {
    function: byExtension(url, invalid),
    url,
    options: storage === undefined ? {} : credentialsIn(storage.credentials),
    within: storage?.url,
  };
}

const isFolder = (url: string): boolean => !/^(?:upload|https?):/i.test(url) && !/[*?[]/.test(url);

/** The credentials among the options of a statement, under the names that READ_* calls have for them. */
export const credentialsIn = (options: Readonly<Record<string, string>>): ReadOptions =>
  Object.fromEntries(
    Object.entries(options)
      .map(([name, value]) => [NAMES_IN_CREDENTIALS[name] ?? name, value] as const)
      .filter(([name]) => Object.hasOwn(CREDENTIALS, name)),
  );

const EXPECTED: Readonly<Record<OptionType, string>> = {
  text: 'must be a string literal',
  integer: 'must be an integer',
  boolean: 'must be true or false',
  character: 'must be a string of one character',
  compression: `must be one of ${COMPRESSIONS.map((c) => `'${c}'`).join(', ')}`,
};

function unknownArgument(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return `unknown argument ${name.toUpperCase()}${nearest === undefined ? '' : ` (did you mean ${nearest.toUpperCase()}?)`}`;
}

/**
 * A named argument: `NAME => value` and `NAME := value` carry the name as alias, `NAME = value` is a
 * comparison.
 */
function namedArgument(node: Expression): { readonly name: string; readonly value: Expression } | undefined {
  if (node.class === 'COMPARISON' && node.type === 'COMPARE_EQUAL' && node.left.class === 'COLUMN_REF') {
    const [name, more] = node.left.column_names;
    if (name !== undefined && more === undefined) return { name, value: node.right };
  }
  return node.alias === '' ? undefined : { name: node.alias, value: node };
}

function readOption(node: Expression, type: OptionType): string | boolean | undefined {
  if (type === 'boolean') return booleanLiteral(node);
  if (type === 'integer') return integerLiteral(node);
  const text = stringLiteral(node);
  if (type === 'character') return text !== undefined && [...text].length <= 1 ? text : undefined;
  if (type !== 'compression') return text;
  const compression = text?.toLowerCase();
  return compression !== undefined && COMPRESSIONS.includes(compression) ? compression : undefined;
}

/** The digits of an integer, which may also be given as a string. */
function integerLiteral(node: Expression): string | undefined {
  const value = node.class === 'CONSTANT' ? node.value.value : stringLiteral(node);
  const text = typeof value === 'object' ? '' : String(value ?? '');
  return /^\d{1,19}$/.test(text) ? text : undefined;
}

function booleanLiteral(node: Expression): boolean | undefined {
  if (node.class === 'CAST' && node.cast_type.id === 'BOOLEAN' && node.child.class === 'CONSTANT') {
    const text = stringLiteral(node.child)?.toLowerCase();
    return text === 't' || text === 'true' ? true : text === 'f' || text === 'false' ? false : undefined;
  }
  if (node.class === 'CONSTANT' && typeof node.value.value === 'boolean') return node.value.value;
  return undefined;
}

/** @throws what `invalid` throws, for a URL that is empty or names no upload although it begins with `upload:` */
export function checkUrl(url: string, invalid: (what: string) => never): void {
  if (url.trim() === '') invalid('the URL is empty');
  if (!/^upload:/i.test(url)) return;
  if (!/^upload:\/\//i.test(url)) invalid(`"${url}" is not a URL of the form upload://<name>`);
  const name = url.slice('upload://'.length);
  if (name === '') invalid('upload:// names no file; write upload://<name of the part>');
  if (/[*?[\]{}]/.test(name)) invalid(`${url}: patterns do not work with upload://; name one part exactly`);
  if (!/^[_0-9a-zA-Z.-]+$/.test(name))
    invalid(`${url}: the name of an upload has only letters, digits, "_", "." and "-"`);
}

const EXTENSIONS: Readonly<Record<string, ReadFunction>> = {
  parquet: 'read_parquet',
  csv: 'read_csv',
  tsv: 'read_csv',
  avro: 'read_avro',
  txt: 'read_text',
  log: 'read_text',
  json: 'read_json',
  jsonl: 'read_json',
  ndjson: 'read_json',
  arrow: 'read_arrow',
  arrows: 'read_arrow',
  feather: 'read_arrow',
};

const byExtension = (url: string, invalid: (what: string) => never): ReadFunction =>
  formatByName(url) ??
  invalid(`cannot determine the format of ${url} from its name; use READ_CSV, READ_PARQUET, …`);

/** The function that reads a file with such an extension; undefined if the extension is not known. */
export function formatByName(url: string): ReadFunction | undefined {
  const path = url.replace(/[?#].*$/, '').replace(/\.(?:gz|zst|bz2)$/i, '');
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(EXTENSIONS, extension) ? EXTENSIONS[extension] : undefined;
}
