import type { CopyTextFormat } from '@tessera/common';
import { quoteText } from '@tessera/kernel';
import type { RunnableQuery } from '../relations/prepare-context.ts';
import type { OutputColumn } from '../types/sql-type.ts';
import { asRelation } from './formatted-query.ts';
import { postgresText } from './postgres-text.ts';
import { needsEscape } from './text-value.ts';

/** A query of one VARCHAR column. Its values are the rows of the file, each with its newline. */
export function copyRowsQuery(query: RunnableQuery, format: CopyTextFormat): string {
  const cells = query.columns.map((column, i) =>
    format.format === 'csv' ? csvCell(column, i, format, query.columns.length) : textCell(column, i, format),
  );
  const row = cells.join(`, ${quoteText(format.delimiter)}, `);
  return `SELECT ${cells.length === 0 ? 'chr(10)' : `concat(${row}, chr(10))`} FROM ${asRelation(query)}`;
}

/** The header line, with its newline. */
export function copyHeader(columns: readonly OutputColumn[], format: CopyTextFormat): string {
  const names = columns.map(({ name }) =>
    format.format === 'csv' ? csvName(name, format) : escaped(name, format),
  );
  return `${names.join(format.delimiter)}\n`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

function escaped(text: string, { delimiter }: CopyTextFormat): string {
  return [...text].map((char) => (char === delimiter ? `\\${char}` : (ESCAPES[char] ?? char))).join('');
}

function textCell(
  { type, nullable }: OutputColumn,
  index: number,
  { delimiter, nullText }: CopyTextFormat,
): string {
  const text = postgresText(type, `c${index}`);
  let value = text;
  if (needsEscape(type) || delimiter !== '\t') {
    const special = `[\\\\${CONTROLS}${bracketed(delimiter)}]`;
    value = `CASE WHEN regexp_matches(${text}, ${quoteText(special)}) THEN ${replaced(text, delimiter)} ELSE ${text} END`;
  }
  return nullable ? `coalesce(${value}, ${quoteText(nullText)})` : value;
}

const CONTROLS = '\\x08\\x0c\\n\\r\\t\\x0b';
const CODES: readonly (readonly [number, string])[] = [
  [8, '\\b'],
  [12, '\\f'],
  [10, '\\n'],
  [13, '\\r'],
  [9, '\\t'],
  [11, '\\v'],
];

function replaced(text: string, delimiter: string): string {
  const controls = CODES.filter(([code]) => String.fromCharCode(code) !== delimiter);
  const result = controls.reduce(
    (value, [code, to]) => `replace(${value}, chr(${code}), ${quoteText(to)})`,
    `replace(${text}, '\\', '\\\\')`,
  );
  return `replace(${result}, ${quoteText(delimiter)}, ${quoteText(delimiter === '\t' ? '\\t' : `\\${delimiter}`)})`;
}

/** The character as it is written inside a bracket expression of a regular expression. */
const bracketed = (char: string): string => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;

function csvName(name: string, { delimiter, quote, escape: escapedBy, nullText }: CopyTextFormat): string {
  const isPlain = name !== nullText && ![delimiter, quote, '\n', '\r'].some((char) => name.includes(char));
  return isPlain
    ? name
    : quote +
        name.replaceAll(
          new RegExp(`[${bracketed(quote)}${bracketed(escapedBy)}]`, 'g'),
          (char) => escapedBy + char,
        ) +
        quote;
}

function csvCell(
  { name, type, nullable }: OutputColumn,
  index: number,
  { delimiter, quote, escape: escapedBy, nullText, forceQuote }: CopyTextFormat,
  count: number,
): string {
  const text = postgresText(type, `c${index}`);
  const [quoted, escapeText] = [quoteText(quote), quoteText(escapedBy)];
  const inner =
    quote === escapedBy
      ? `replace(${text}, ${quoted}, ${quoteText(quote + quote)})`
      : `replace(replace(${text}, ${escapeText}, ${quoteText(escapedBy + escapedBy)}), ${quoted}, ${quoteText(escapedBy + quote)})`;
  const inQuotes = `concat(${quoted}, ${inner}, ${quoted})`;
  const isForced = forceQuote === '*' || forceQuote.includes(name);
  let value = text;
  if (isForced) value = `CASE WHEN ${text} IS NULL THEN NULL ELSE ${inQuotes} END`;
  else if (needsEscape(type) || delimiter !== ',' || nullText !== '') {
    const special = `[${bracketed(delimiter)}${bracketed(quote)}\\r\\n]`;
    // A line that consists of `\\.` alone would mark the end of the data.
    const ends = count === 1 ? ` OR ${text} = '\\.'` : '';
    value = `CASE WHEN ${text} = ${quoteText(nullText)} OR regexp_matches(${text}, ${quoteText(special)})${ends} THEN ${inQuotes} ELSE ${text} END`;
  }
  return nullable ? `coalesce(${value}, ${quoteText(nullText)})` : value;
}
