import { TesseraError } from '@tessera/common';
import { withDialectTypes } from './dialect-type.ts';
import { withFailedValue } from './failed-value.ts';

interface ReadValue {
  readonly text: string;
  /** As the kernel calls it. */
  readonly type: string;
  readonly isOutOfRange?: boolean;
}

/** How the kernel says that a text is no value of a type. */
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

/** A text of digits that is none of these is too large for it. */
const WHOLE_TYPES: ReadonlySet<string> = new Set(['smallint', 'integer', 'bigint']);

const SOURCE_COLUMN = /when casting from source column (.+?)$/m;
const INFERRED_COLUMN = /Error when converting column "(.*?)"\. /;

/**
 * A failed cast of a text in PostgreSQL's words; undefined for a message about something else. The text is kept as
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
