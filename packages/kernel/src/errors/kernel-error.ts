import { type ErrorName, TesseraError } from '@tessera/common';
import { withCaret } from './caret.ts';
import { withDialectTypes } from './dialect-type.ts';
import { REFUSED_END, REFUSED_RANGE, withFailedValue } from './failed-value.ts';
import { inDialectWords, translated } from './translations.ts';
import { unsupported } from './unsupported.ts';

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
  [/^(timestamp) field value "(.*?)" has a timestamp that is not UTC/s, (type, text) => ({ text, type })],
  [
    /^(date|timestamp|time) field value out of range: "(.*?)"/s,
    (type, text) => ({ text, type, isOutOfRange: true }),
  ],
];

const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i;

/** If a text of digits cannot be cast to one of these types, the number is too large. */
const WHOLE_TYPES: ReadonlySet<string> = new Set(['smallint', 'integer', 'bigint']);

/** If a text of a number cannot be cast to one of these types, the number is too large, or nearer to zero than any of the type. */
const SCALED_TYPES = /^(?:numeric|real$|double precision$)/;

const TIME_TYPES: ReadonlySet<string> = new Set(['date', 'time', 'timestamp', 'timestamptz', 'interval']);

const SOURCE_COLUMN = /when casting from source column (.+?)$/m;
const INFERRED_COLUMN = /Error when converting column "(.*?)"\. /;

/**
 * A failed cast of a text in PostgreSQL's words; undefined for any other message. The text is kept as
 * `failedValueOf`.
 */
function castFailure(message: string): TesseraError | undefined {
  for (const [pattern, read] of CAST_FAILURES) {
    const match = pattern.exec(message);
    if (match === null) continue;
    const { text: refused, type, isOutOfRange = false } = read(...match.slice(1).map(String));
    const text = refused.replace(REFUSED_END, '').replace(REFUSED_RANGE, '');
    // A uuid is an integer of 128 bits to the kernel; no other type of the dialect is.
    const typeName = type === 'INT128' ? 'uuid' : withDialectTypes(type);
    const isTooLarge =
      (WHOLE_TYPES.has(typeName) && /^\s*[+-]?\d+\s*$/.test(text)) ||
      (SCALED_TYPES.test(typeName) && NUMBER.test(text));
    const outside = { message: `value "${text}" is out of range for type ${typeName}` };
    const error =
      refused.includes(REFUSED_RANGE) || (isOutOfRange && text === refused)
        ? TesseraError.of('DATETIME_OUT_OF_RANGE', outside)
        : isTooLarge
          ? TesseraError.of('OUT_OF_RANGE', outside)
          : TesseraError.of(TIME_TYPES.has(typeName) ? 'INVALID_DATETIME_FORMAT' : 'CAST_ERROR', {
              message: `invalid input syntax for type ${typeName}: "${text}"`,
            });
    const column = (INFERRED_COLUMN.exec(message) ?? SOURCE_COLUMN.exec(message))?.[1];
    return withFailedValue(error, { text, column });
  }
  return undefined;
}

/** A failure as the kernel reports it. */
interface KernelFailure {
  /** `Binder`, `Catalog`, `Conversion`, ... */
  readonly type: string;
  readonly message: string;
  readonly subtype?: string | undefined;
  /** The kind of object that a Catalog error misses: `Table`, `Scalar Function`, … */
  readonly entry?: string | undefined;
  /** The offset in UTF-8 bytes into the SQL. */
  readonly position?: number | undefined;
}

const BY_TYPE: Readonly<Record<string, ErrorName>> = {
  Parser: 'SYNTAX_ERROR',
  Syntax: 'SYNTAX_ERROR',
  Binder: 'BINDING_ERROR',
  'Parameter Not Resolved': 'BINDING_ERROR',
  'Parameter Not Allowed': 'BINDING_ERROR',
  'Mismatch Type': 'BINDING_ERROR',
  'Out of Range': 'OUT_OF_RANGE',
  Decimal: 'OUT_OF_RANGE',
  Permission: 'FORBIDDEN',
  'Invalid Configuration': 'FORBIDDEN',
};

/**
 * Translates an error text of the kernel, plain or in JSON, to a row of the error table. With the SQL that
 * ran, the error carries the position as `caretOf`. `memoryIsShort`: the process had used nearly all of its
 * memory. Paths in the message are the kernel's; the caller replaces them.
 */
export function kernelErrorToTessera(text: string, sql?: string, memoryIsShort = false): TesseraError {
  const failure = parseFailure(text);
  if (isInvalidation(text)) {
    return TesseraError.of('KERNEL_LOST', { message: 'The kernel process that ran the query was given up' });
  }
  if (memoryIsShort && failure.message === '') return outOfMemory(UNWRITTEN.message);
  if (memoryIsShort && MAY_BE_FAILED_ALLOCATION.test(failure.message)) {
    return outOfMemory(`a file could not be read: ${failure.message}`);
  }
  return withCaret(toTessera(failure), caretIn(failure.position, sql));
}

/** Whether the kernel refuses everything after such an error, so that its process has to be replaced. */
export const isFatal = (text: string): boolean => {
  const { type, message } = parseFailure(text);
  if (type === 'INTERNAL' && UNWRITTEN_MESSAGE.test(message)) return false;
  return type === 'INTERNAL' || type === 'FATAL' || isInvalidation(text);
};

/** There was no memory for the message of an error, which has a long value. Only the statement has failed. */
const UNWRITTEN_MESSAGE =
  /^Primary exception: .*\nSecondary exception in ExceptionFormatValue: std::bad_alloc/s;

/** Whether an error only refers to an earlier one. */
const isInvalidation = (text: string): boolean => text.includes('database has been invalidated');

/** Failures that are not caused by the statement. */
const NOT_OF_STATEMENT: ReadonlySet<string> = new Set([
  'INTERRUPT',
  'Interrupt',
  'INTERNAL',
  'FATAL',
  'Encoding',
]);

/**
 * Libraries inside the kernel report a failed allocation as an error of their own, such as an unreadable
 * block.
 */
const FAILED_ALLOCATION =
  /Allocation error : not enough memory|std::bad_alloc|Failed to allocate block of|memory allocation failed|^Memory allocation failure/;

/** These messages also occur for damaged files. Only if memory is short, they are attributed to it. */
const MAY_BE_FAILED_ALLOCATION = /Decompression failure|decompress|page size out of range/i;

function toTessera(failure: KernelFailure): TesseraError {
  if (/^divison by zero in based logarithm/.test(failure.message))
    return TesseraError.of('DIVISION_BY_ZERO', {});
  if (/^Failure in decode: could not convert blob to UTF8/.test(failure.message))
    return TesseraError.of('INVALID_ENCODING', { what: 'convert_from', bytes: 'part of the argument' });
  if (failure.type !== 'Conversion' && FAILED_ALLOCATION.test(failure.message)) {
    return outOfMemory('an allocation failed');
  }
  const known = NOT_OF_STATEMENT.has(failure.type) ? undefined : translated(failure.message);
  return known ?? byType(failure);
}

function byType(failure: KernelFailure): TesseraError {
  const message = inDialectWords(failure.message);
  const lacking = unsupported(failure.type, message);
  if (lacking !== undefined) return lacking;
  switch (failure.type) {
    case 'INTERRUPT':
    case 'Interrupt':
      return TesseraError.of('QUERY_CANCELLED', { reason: 'it was interrupted' });
    case 'Binder':
      if (failure.subtype === 'COLUMN_NOT_FOUND') return TesseraError.of('UNDEFINED_NAME', { message });
      if (/is ambiguous/.test(message)) return TesseraError.of('AMBIGUOUS_NAME', { message });
      return TesseraError.of('BINDING_ERROR', { message });
    case 'Catalog': {
      const collation = /^Collation with name "?(.*?)"? (?:does not exist|is not in the catalog)/s.exec(
        failure.message,
      )?.[1];
      if (collation !== undefined)
        return TesseraError.of('UNDEFINED_OBJECT', { what: 'Collation', name: collation });
      const type = /^Type with name "?(.+?)"? (?:does not exist!|is not in the catalog)/.exec(
        failure.message,
      )?.[1];
      if (type !== undefined) return TesseraError.of('UNDEFINED_OBJECT', { what: 'Type', name: type });
      const entry = failure.entry ?? message;
      if (/function|macro/i.test(entry)) return TesseraError.of('UNDEFINED_FUNCTION', { message });
      if (/^(table|view|schema)\b/i.test(entry)) return TesseraError.of('UNDEFINED_TABLE', { message });
      return TesseraError.of('BINDING_ERROR', { message });
    }
    case 'Encoding':
      return TesseraError.of('INVALID_ENCODING', { what: message, bytes: '0x00' });
    case 'Invalid Input':
      if (message === 'division by zero') return TesseraError.of('DIVISION_BY_ZERO', {});
      if (/^relation ".*" does not exist$/s.test(message))
        return TesseraError.of('UNDEFINED_TABLE', { message });
      if (/^column ".*" of relation ".*" does not exist$/s.test(message))
        return TesseraError.of('UNDEFINED_NAME', { message });
      if (/^type ".*" does not exist$/s.test(message))
        return TesseraError.of('UNDEFINED_OBJECT', { what: 'Type', name: message.slice(6, -16) });
      if (/^schema ".*" does not exist$/s.test(message))
        return TesseraError.of('UNDEFINED_SCHEMA', { name: message.slice(8, -16) });
      if (/^role ".*" does not exist$/s.test(message))
        return TesseraError.of('UNDEFINED_OBJECT', { what: 'Role', name: message.slice(6, -16) });
      if (/^function ".*" does not exist$/s.test(message))
        return TesseraError.of('UNDEFINED_FUNCTION', { message });
      return castFailure(failure.message) ?? TesseraError.of('STATEMENT_FAILED', { message });
    case 'Conversion': {
      return castFailure(failure.message) ?? TesseraError.of('CAST_ERROR', { message });
    }
    case 'Out of Memory':
    case 'Object Size':
      return outOfMemory(message);
    case 'INTERNAL':
    case 'FATAL':
      return TesseraError.of('STATEMENT_FAILED', {
        message: `The kernel failed on this statement: ${message.split('\n')[0]}`,
      });
    default: {
      const name = BY_TYPE[failure.type];
      if (name === undefined) return TesseraError.of('STATEMENT_FAILED', { message });
      return TesseraError.of(name as 'CAST_ERROR', { message });
    }
  }
}

/** @param detail what could not be allocated, in the kernel's words or in ours */
export const outOfMemory = (detail: string): TesseraError =>
  TesseraError.of('OUT_OF_MEMORY', {
    message: `The query needs more memory than the engine may use (engine.max_server_memory_usage): ${detail.replace(/[.\s]+$/, '')}. Let it hold less at once, or give the engine more memory`,
  });

/** A failure whose message is missing, because it has a long value. */
const UNWRITTEN: KernelFailure = {
  type: 'Out of Memory',
  message: 'there was none for the message of an error',
};

/**
 * Parses both forms: `{"exception_type":...}`, perhaps after a prefix, and `Binder Error: ... LINE 1: ... ^`.
 */
function parseFailure(text: string): KernelFailure {
  const json = text.indexOf('{"exception_type"');
  if (json >= 0) {
    try {
      const parsed = JSON.parse(text.slice(json)) as Record<string, string>;
      const { exception_type: type = '', exception_message: message = '' } = parsed;
      if (type === 'Conversion' && message === '') return UNWRITTEN;
      return {
        type,
        message: withoutExcerpt(shortened(message)),
        subtype: parsed.error_subtype,
        entry: parsed.type,
        position: parsed.position === undefined ? undefined : Number(parsed.position),
      };
    } catch {
      // The JSON is truncated or embedded in another text; it is read as a plain message.
    }
  }
  const plain = /^([A-Z][A-Za-z ]*?) Error: ([\s\S]*)$/.exec(text);
  if (plain === null) return { type: '', message: withoutExcerpt(shortened(text)) };
  return { type: plain[1]!, message: withoutExcerpt(shortened(plain[2]!)) };
}

/** How much of the beginning and of the end of a long message is kept. */
const KEPT_LENGTH = { beginning: 1_500, end: 500 };

/** A message may contain a value of some megabytes. Its translation takes time that is quadratic in its length. */
function shortened(message: string): string {
  const { beginning, end } = KEPT_LENGTH;
  if (message.length <= beginning + end) return message;
  return `${message.slice(0, beginning)} … ${message.slice(-end)}`.toWellFormed();
}

/**
 * Removes the excerpt of the statement (`LINE 1: ...` and the caret below it) that the kernel appends, and
 * its advice, which mentions settings that users do not have.
 */
const withoutExcerpt = (message: string): string =>
  message
    .replace(/\n+LINE \d+: [\s\S]*$/, '')
    .replace(/\n\s*(Possible (solution|fix)|See also https)[\s\S]*$/i, '')
    .trimEnd();

function caretIn(position: number | undefined, sql: string | undefined): number | undefined {
  if (position === undefined || sql === undefined || !Number.isInteger(position)) return undefined;
  const bytes = Buffer.from(sql, 'utf8');
  return position > bytes.length ? undefined : bytes.toString('utf8', 0, position).length;
}
