import { TesseraError } from '@tessera/common';
import { withDialectTypes } from './dialect-type.ts';
import { withFailedValue } from './failed-value.ts';

interface ReadValue {
  readonly text: string;
  /** The type by the kernel's name. */
  readonly type: string;
  readonly isOutOfRange?: boolean;
}

/** The kernel's messages for a text that is not a value of a type. */
const CAST_FAILURES: readonly (readonly [RegExp, (...groups: string[]) => ReadValue])[] = [
  [
    /[Cc]ould not convert string ["'](.*?)["'] to '?([A-Z]\w*(?:\(\d+,\s*\d+\))?)/s,
    (text, type) => ({ text, type }),
  ],
  [/^invalid (date|timestamp|time|interval) field format: "(.*?)"/s, (type, text) => ({ text, type })],
  [
    /^(date|timestamp|time) field value out of range: "(.*?)"/s,
    (type, text) => ({ text, type, isOutOfRange: true }),
  ],
];

/** If a text of digits cannot be cast to one of these types, the number is too large. */
const WHOLE_TYPES: ReadonlySet<string> = new Set(['smallint', 'integer', 'bigint']);

const SOURCE_COLUMN = /when casting from source column (.+?)$/m;
const INFERRED_COLUMN = /Error when converting column "(.*?)"\. /;

/**
 * A failed cast of a text in PostgreSQL's words; undefined for any other message. The text is kept as
 * `failedValueOf`.
 */
export function castFailure(message: string): TesseraError | undefined {
  for (const [pattern, read] of CAST_FAILURES) {
    const match = pattern.exec(message);
    if (match === null) continue;
    const { text, type, isOutOfRange = false } = read(...match.slice(1).map(String));
    const typeName = withDialectTypes(type);
    const isTooLarge = isOutOfRange || (WHOLE_TYPES.has(typeName) && /^\s*[+-]?\d+\s*$/.test(text));
    const error = isTooLarge
      ? TesseraError.of('OUT_OF_RANGE', { message: `value "${text}" is out of range for type ${typeName}` })
      : TesseraError.of('CAST_ERROR', { message: `invalid input syntax for type ${typeName}: "${text}"` });
    const column = (INFERRED_COLUMN.exec(message) ?? SOURCE_COLUMN.exec(message))?.[1];
    return withFailedValue(error, { text, column });
  }
  return undefined;
}
