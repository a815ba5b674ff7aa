import { type CopyTextFormat, defaultCopyFormat, fail } from '@tessera/common';
import type { TokenCursor } from '@tessera/sql';

/** The binary row format of COPY, which has no options. */
export interface BinaryCopyOptions {
  readonly format: 'binary';
}

type Given = { -readonly [N in Exclude<keyof CopyTextFormat, 'format'>]?: CopyTextFormat[N] | undefined } & {
  format?: 'text' | 'csv' | 'binary';
};

/**
 * `[WITH] (FORMAT csv, …)`, or the words of older versions: `WITH CSV HEADER DELIMITER AS ','`.
 * @throws TesseraError SYNTAX_ERROR, INVALID_ARGUMENT, NOT_SUPPORTED
 */
export function copyOptions(
  cursor: TokenCursor,
  direction: 'in' | 'out',
): CopyTextFormat | BinaryCopyOptions {
  cursor.accept('WITH');
  const given: Given = {};
  if (cursor.acceptSymbol('(')) {
    do option(cursor, given);
    while (cursor.acceptSymbol(','));
    cursor.expectSymbol(')');
  } else {
    while (cursor.peek() !== undefined) legacyOption(cursor, given);
  }
  cursor.expectEnd();
  const { format = 'text', ...others } = given;
  return format === 'binary' ? binaryOptions(others) : checked({ ...others, format }, direction);
}

/** @throws TesseraError SYNTAX_ERROR for an option of the text formats */
function binaryOptions({ header, ...others }: Omit<Given, 'format'>): BinaryCopyOptions {
  const [name] = Object.keys({ ...others, ...(header === true || header === 'match' ? { header } : {}) });
  if (name === undefined) return { format: 'binary' };
  const option = name.replace('Text', '').replace(/[A-Z]/g, '_$&').toUpperCase();
  return fail('SYNTAX_ERROR', { message: `Cannot specify ${option} in BINARY mode` });
}

function option(cursor: TokenCursor, given: Given): void {
  const name = cursor.expectName('an option').toLowerCase();
  switch (name) {
    case 'format':
      given.format = formatOf(cursor.expectValue('a format'));
      return;
    case 'delimiter':
      given.delimiter = cursor.expectValue('a delimiter');
      return;
    case 'null':
      given.nullText = cursor.expectValue('a text');
      return;
    case 'header':
      given.header = headerOf(cursor);
      return;
    case 'quote':
    case 'escape':
      given[name] = cursor.expectValue('a character');
      return;
    case 'encoding':
      encoding(cursor.expectValue('an encoding'));
      return;
    case 'force_quote':
      given.forceQuote = columns(cursor);
      return;
    case 'force_not_null':
      given.forceNotNull = columns(cursor);
      return;
    case 'force_null':
      given.forceNull = columns(cursor);
      return;
    case 'freeze':
      headerOf(cursor);
      return;
    default:
      fail('NOT_SUPPORTED', { what: `The option ${name.toUpperCase()} of COPY` });
  }
}

function legacyOption(cursor: TokenCursor, given: Given): void {
  if (cursor.accept('CSV')) given.format = 'csv';
  else if (cursor.accept('BINARY')) given.format = formatOf('binary');
  else if (cursor.accept('HEADER')) given.header = true;
  else if (cursor.accept('DELIMITER') || cursor.accept('DELIMITERS')) given.delimiter = asValue(cursor);
  else if (cursor.accept('NULL')) given.nullText = asValue(cursor);
  else if (cursor.accept('QUOTE')) given.quote = asValue(cursor);
  else if (cursor.accept('ESCAPE')) given.escape = asValue(cursor);
  else if (cursor.accept('ENCODING')) encoding(asValue(cursor));
  else if (cursor.accept('FORCE', 'QUOTE')) given.forceQuote = columns(cursor);
  else if (cursor.accept('FORCE', 'NOT', 'NULL')) given.forceNotNull = columns(cursor);
  else if (cursor.accept('FORCE', 'NULL')) given.forceNull = columns(cursor);
  else cursor.unexpected('an option of COPY');
}

function asValue(cursor: TokenCursor): string {
  cursor.accept('AS');
  return cursor.expectValue('a text');
}

function formatOf(value: string): Given['format'] & string {
  const format = value.toLowerCase();
  if (format === 'text' || format === 'csv' || format === 'binary') return format;
  return fail('INVALID_ARGUMENT', { message: `COPY has no format "${value}"` });
}

function headerOf(cursor: TokenCursor): boolean | 'match' {
  const next = cursor.peek()?.image;
  if (next === undefined || next === ',' || next === ')') return true;
  const value = cursor.expectValue('a boolean').toLowerCase();
  if (/^(?:true|on|1)$/.test(value)) return true;
  if (/^(?:false|off|0)$/.test(value)) return false;
  if (value === 'match') return 'match';
  return fail('INVALID_ARGUMENT', { message: `HEADER takes a boolean or MATCH, not "${value}"` });
}

function encoding(value: string): void {
  if (!/^utf-?8$/i.test(value)) fail('NOT_SUPPORTED', { what: `The encoding ${value}` });
}

function columns(cursor: TokenCursor): readonly string[] | '*' {
  if (cursor.acceptSymbol('*')) return '*';
  const bracket = cursor.acceptSymbol('(');
  const names: string[] = [];
  do names.push(cursor.expectName('a column'));
  while (cursor.acceptSymbol(','));
  if (bracket) cursor.expectSymbol(')');
  return names;
}

function checked(
  given: Omit<Given, 'format'> & Pick<CopyTextFormat, 'format'>,
  direction: 'in' | 'out',
): CopyTextFormat {
  const { format } = given;
  const csv = format === 'csv';
  const defaults = defaultCopyFormat(format);
  const quote = given.quote ?? defaults.quote;
  const options: CopyTextFormat = {
    format,
    header: given.header ?? defaults.header,
    delimiter: given.delimiter ?? defaults.delimiter,
    nullText: given.nullText ?? defaults.nullText,
    quote,
    escape: given.escape ?? quote,
    forceQuote: given.forceQuote ?? defaults.forceQuote,
    forceNotNull: given.forceNotNull ?? defaults.forceNotNull,
    forceNull: given.forceNull ?? defaults.forceNull,
  };
  const invalid = (message: string): never => fail('INVALID_ARGUMENT', { message: `COPY: ${message}` });
  if (!isOneByte(options.delimiter) || /[\r\n]/.test(options.delimiter)) {
    invalid('the delimiter is one character, no newline');
  }
  if (!csv && /[\\a-z0-9.]/.test(options.delimiter))
    invalid('the delimiter cannot be a letter, digit, dot or backslash');
  if (!csv && (given.quote ?? given.escape) !== undefined) invalid('QUOTE and ESCAPE need the format csv');
  if (csv && !(isOneByte(quote) && isOneByte(options.escape))) invalid('QUOTE and ESCAPE are one character');
  if (csv && quote === options.delimiter) invalid('the delimiter cannot be the quote');
  if (/[\r\n]/.test(options.nullText)) invalid('NULL cannot be a text with a newline');
  if (direction === 'out' && options.header === 'match') invalid('HEADER MATCH is for COPY FROM');
  return options;
}

const isOneByte = (text: string): boolean => Buffer.byteLength(text) === 1;
