import { atOnce, fail, requireValidText, type Steps } from '@tessera/common';

/**
 * Parses and prints JSON as the kernel writes parse trees: integers beyond 2^53 become bigint, and the bare
 * words NaN, Infinity and -Infinity are numbers. To the kernel, `printTree(parseTree(text))` means the same
 * as the `text` of a parse tree. The other text that is parsed so, a plan, is never printed.
 */
export const parseTree = (text: string): unknown => atOnce(treeSteps(text));

/** The kernel writes the largest integer of 64 bits for an index that is not set. In trees, such an index is -1. */
const UNSET = '18446744073709551615';
/** A node of a parse tree that has no place of its own in the text has this `query_location`. */
export const NO_LOCATION = -1;
/** Matches members of parse trees and plans that most nodes do not set. Within a text, the quotation marks of such a name are escaped. */
const UNSET_MEMBERS = new RegExp(
  `"(query_location|ordinality_idx|total_files|filtered_files|groupings_index)":${UNSET}(?=[,}])`,
  'g',
);
/** Integers of fewer digits are exact as numbers. */
const MAY_BE_LARGE = /\d{16}/;
/** A longer text would keep other requests waiting. */
const MAX_LENGTH_AT_ONCE = 256 * 1024;

/** `parseTree` in steps, for the trees of long statements. */
export function* treeSteps(text: string): Steps<unknown> {
  const short = text.replace(UNSET_MEMBERS, `"$1":${NO_LOCATION}`);
  if (short.length <= MAX_LENGTH_AT_ONCE && !MAY_BE_LARGE.test(short)) {
    try {
      // Takes a twentieth of the time of the reader in a process that has just started, and a third later.
      return JSON.parse(short);
    } catch {
      // The text has numbers that JSON lacks, or the reader says what is wrong with it.
    }
  }
  return yield* new Reader(short).steps();
}

export function printTree(value: unknown): string {
  switch (typeof value) {
    case 'string':
      // The kernel reads the texts of a tree as C strings and would cut this one short.
      requireValidText(value, 'a text of the statement');
      return JSON.stringify(value);
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'number':
      return Object.is(value, -0) ? '-0.0' : String(value);
    case 'object': {
      if (value === null) return 'null';
      if (Array.isArray(value)) return `[${value.map(printTree).join(',')}]`;
      return printObject(value as Record<string, unknown>);
    }
    default:
      return malformed(`a value of type ${typeof value}`);
  }
}

function printObject(object: Record<string, unknown>): string {
  const isDouble = isFloatingType(object.type);
  let out = '';
  for (const key in object) {
    const field = object[key];
    if (field === undefined) continue;
    const text =
      field === NO_LOCATION && key === 'query_location'
        ? UNSET
        : isDouble && key === 'value' && Number.isInteger(field)
          ? (field as number).toExponential()
          : printTree(field);
    out += `${out === '' ? '' : ','}${printedKey(key)}:${text}`;
  }
  return `{${out}}`;
}

/** Caches printed keys: a tree has few distinct keys, each repeated very often. */
const printedKeys = new Map<string, string>();
const MAX_PRINTED_KEYS = 1000;

function printedKey(key: string): string {
  const known = printedKeys.get(key);
  if (known !== undefined) return known;
  const printed = JSON.stringify(key);
  if (printedKeys.size < MAX_PRINTED_KEYS) printedKeys.set(key, printed);
  return printed;
}

/**
 * Whether values of a type are floating-point: an integral value then needs an exponent, because the kernel
 * reads `1000` as an integer.
 */
const isFloatingType = (type: unknown): boolean =>
  typeof type === 'object' && type !== null && 'id' in type && (type.id === 'DOUBLE' || type.id === 'FLOAT');

const NUMBER = /-?(?:Infinity|NaN|nan|inf|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/y;
/** Integers of so many digits are exact as numbers. */
const SMALL_DIGITS = 15;
const [COMMA, BRACE, BRACKET] = [0x2c, 0x7d, 0x5d];
const SPACE = /[ \t\r\n]*/y;
const SPACE_CODE = 0x20;
const WORDS: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
];

/** The number of values that one step parses. */
const STEP_VALUES = 1024;

/** An array or object that encloses the place of a reader; `key` is that of the next value of an object. */
type Open =
  | { readonly array: unknown[] }
  | { readonly array?: undefined; readonly object: Record<string, unknown>; key: string };

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  *steps(): Steps<unknown> {
    const open: Open[] = [];
    for (let values = 1; ; values++) {
      if (values % STEP_VALUES === 0) yield;
      const opened = this.#open();
      if (opened !== undefined) {
        open.push(opened);
        continue;
      }
      let value = this.#whole();
      for (;;) {
        const around = open.at(-1);
        if (around === undefined) {
          if (this.#peek() !== '') malformed(`text after the value at ${this.#at}`);
          return value;
        }
        if (around.array === undefined) around.object[around.key] = value;
        else around.array.push(value);
        if (this.#accept(',')) {
          if (around.array === undefined) around.key = this.#key();
          break;
        }
        this.#take(around.array === undefined ? '}' : ']');
        value = around.array ?? around.object;
        open.pop();
      }
    }
  }

  /** Enters an array or object that is not empty. */
  #open(): Open | undefined {
    const first = this.#peek();
    if (first !== '{' && first !== '[') return undefined;
    const start = this.#at++;
    if (this.#peek() === (first === '{' ? '}' : ']')) {
      this.#at = start;
      return undefined;
    }
    return first === '{' ? { object: {}, key: this.#key() } : { array: [] };
  }

  /** A value without other values in it. */
  #whole(): unknown {
    switch (this.#peek()) {
      case '{':
        this.#at += 1;
        this.#take('}');
        return {};
      case '[':
        this.#at += 1;
        this.#take(']');
        return [];
      case '"':
        return this.#string();
      default:
        return this.#scalar();
    }
  }

  #key(): string {
    const key = this.#string();
    this.#take(':');
    return key;
  }

  #peek(): string {
    if (this.#text.charCodeAt(this.#at) > SPACE_CODE) return this.#text.charAt(this.#at);
    SPACE.lastIndex = this.#at;
    SPACE.test(this.#text);
    this.#at = SPACE.lastIndex;
    return this.#text.charAt(this.#at);
  }

  #accept(symbol: string): boolean {
    if (this.#peek() !== symbol) return false;
    this.#at += 1;
    return true;
  }

  #take(symbol: string): void {
    if (!this.#accept(symbol)) malformed(`expected ${symbol} at ${this.#at}`);
  }

  #string(): string {
    if (this.#peek() !== '"') malformed(`expected a string at ${this.#at}`);
    const start = this.#at;
    let end = this.#text.indexOf('"', start + 1);
    while (end > 0 && isEscaped(this.#text, end)) end = this.#text.indexOf('"', end + 1);
    if (end < 0) malformed(`unterminated string at ${start}`);
    this.#at = end + 1;
    const raw = this.#text.slice(start + 1, end);
    return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
  }

  #scalar(): unknown {
    const small = this.#smallInteger();
    if (small !== undefined) return small;
    for (const [word, value] of WORDS) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    }
    NUMBER.lastIndex = this.#at;
    const source = NUMBER.exec(this.#text)?.[0];
    if (source === undefined) return malformed(`unexpected text at ${this.#at}`);
    this.#at += source.length;
    const value = Number(source);
    if (Number.isNaN(value))
      return source.toLowerCase() === 'inf' ? Infinity : source === '-inf' ? -Infinity : value;
    const isInteger = /^-?\d+$/.test(source);
    return isInteger && !Number.isSafeInteger(value) ? BigInt(source) : value;
  }

  /** The most frequent scalar: an integer of few digits without a sign. */
  #smallInteger(): number | undefined {
    let value = 0;
    let at = this.#at;
    let code = this.#text.charCodeAt(at);
    for (; code >= 0x30 && code <= 0x39; code = this.#text.charCodeAt(++at)) value = value * 10 + code - 0x30;
    const digits = at - this.#at;
    if (digits === 0 || digits > SMALL_DIGITS || (code !== COMMA && code !== BRACE && code !== BRACKET))
      return undefined;
    this.#at = at;
    return value;
  }
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charAt(at - 1 - slashes) === '\\') slashes += 1;
  return slashes % 2 === 1;
}

function malformed(what: string): never {
  return fail('STATEMENT_FAILED', { message: `The kernel's parse tree is malformed: ${what}` });
}
