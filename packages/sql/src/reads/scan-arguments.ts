import { quoteText } from '@tessera/kernel';
import { call, constant, type Expression } from '../tree.ts';
import type { ReadArguments } from './read-arguments.ts';

export type ScanValue = string | boolean | number | readonly string[] | StructValue;

/** A struct of texts. An object would put fields whose names are numbers before the others. */
type StructValue = { readonly fields: readonly (readonly [name: string, text: string])[] };

/**
 * The compression of a file: from the argument, or else from the URL, because the file on disk may have
 * another name.
 */
export function compressionOf({ options, url }: Pick<ReadArguments, 'options' | 'url'>): string | undefined {
  if (options.compression !== undefined) return options.compression;
  return /\.gz$/i.test(url) ? 'gzip' : /\.zst$/i.test(url) ? 'zstd' : undefined;
}

/** `name := value` in a call, or nothing if the value is undefined. */
export function namedArgument(name: string, value: ScanValue | undefined): Expression[] {
  if (value === undefined) return [];
  return [{ ...valueNode(value), alias: name }];
}

function valueNode(value: ScanValue): Expression {
  if (typeof value !== 'object') return constant(value);
  if (!('fields' in value)) return call('list_value', ...value.map((item) => constant(item)));
  const fields = value.fields.map(([field, text]) => ({ ...constant(text), alias: field }));
  return call('struct_pack', ...fields);
}

/** The value as SQL text. */
export function literalText(value: ScanValue): string {
  if (typeof value === 'string') return quoteText(value);
  if (typeof value !== 'object') return String(value);
  if (!('fields' in value)) return `[${value.map(quoteText).join(', ')}]`;
  const fields = value.fields.map(([field, text]) => `${quoteText(field)}: ${quoteText(text)}`);
  return `{${fields.join(', ')}}`;
}
