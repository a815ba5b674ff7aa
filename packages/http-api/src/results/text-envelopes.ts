import { formatTypeName } from '@tessera/sql';
import type { Envelope } from './envelope.ts';

const asIs = (bytes: Uint8Array): readonly Uint8Array[] => [bytes];
const nothing = () => '';

/** Tab-separated values: a line of names and, with types, a line of type names. */
export function tsvEnvelope(withTypes: boolean): Envelope {
  return {
    head: (columns) => {
      const names = `${columns.map((c) => escapeTsv(c.name)).join('\t')}\n`;
      return withTypes ? `${names}${columns.map((c) => escapeTsv(formatTypeName(c))).join('\t')}\n` : names;
    },
    rows: asIs,
    tail: nothing,
  };
}

/** RFC 4180, with LF line ends and every name quoted. */
export const csvEnvelope = (): Envelope => ({
  head: (columns) => `${columns.map((c) => `"${c.name.replaceAll('"', '""')}"`).join(',')}\n`,
  rows: asIs,
  tail: nothing,
});

/** Formats whose chunks already are the whole body. */
export const bareEnvelope = (): Envelope => ({ head: nothing, rows: asIs, tail: nothing });

const escapeTsv = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n');
