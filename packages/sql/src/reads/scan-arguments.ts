import { quoteText } from '@tessera/kernel';
import { call, constant, type Expression } from '../tree.ts';
import type { ReadArguments } from './read-arguments.ts';

export type ScanValue = string | boolean | number | readonly string[];

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
  const node =
    typeof value === 'object' ? call('list_value', ...value.map((item) => constant(item))) : constant(value);
  return [{ ...node, alias: name }];
}

/** The value as SQL text. */
export function literalText(value: ScanValue): string {
  if (typeof value === 'string') return quoteText(value);
  return typeof value === 'object' ? `[${value.map(quoteText).join(', ')}]` : String(value);
}
