import { fail, requireValidText } from '@tessera/common';

/**
 * Parses and prints JSON as the kernel writes parse trees: integers beyond 2^53 become bigint, and the bare
 * words NaN, Infinity and -Infinity are numbers. To the kernel, `printTree(parseTree(text))` means the same
 * as `text`.
 */
export function parseTree(text: string): unknown {
  const reader = new Reader(text);
  const value = reader.value();
  reader.end();
  return value;
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
  for (const [key, field] of Object.entries(object)) {
    if (field === undefined) continue;
    const text =
      isDouble && key === 'value' && Number.isInteger(field)
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
const SPACE = /[ \t\r\n]*/y;
const SPACE_CODE = 0x20;
const WORDS: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
];

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): unknown {
    switch (this.#peek()) {
      case '{':
        return this.#object();
      case '[':
        return this.#array();
      case '"':
        return this.#string();
      default:
        return this.#scalar();
    }
  }

  end(): void {
    if (this.#peek() !== '') malformed(`text after the value at ${this.#at}`);
  }

  #peek(): string {
    if (this.#text.charCodeAt(this.#at) > SPACE_CODE) return this.#text.charAt(this.#at);
    SPACE.lastIndex = this.#at;
    SPACE.test(this.#text);
    this.#at = SPACE.lastIndex;
    return this.#text.charAt(this.#at);
  }

  #take(expected: string): void {
    if (this.#peek() !== expected) malformed(`expected ${expected} at ${this.#at}`);
    this.#at += 1;
  }

  #object(): Record<string, unknown> {
    const out: Record<string, unknown> = {};
    this.#at += 1;
    if (this.#peek() !== '}') {
      for (;;) {
        const key = this.#string();
        this.#take(':');
        out[key] = this.value();
        if (this.#peek() !== ',') break;
        this.#at += 1;
      }
    }
    this.#take('}');
    return out;
  }

  #array(): unknown[] {
    const out: unknown[] = [];
    this.#at += 1;
    if (this.#peek() !== ']') {
      for (;;) {
        out.push(this.value());
        if (this.#peek() !== ',') break;
        this.#at += 1;
      }
    }
    this.#take(']');
    return out;
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
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charAt(at - 1 - slashes) === '\\') slashes += 1;
  return slashes % 2 === 1;
}

function malformed(what: string): never {
  return fail('STATEMENT_FAILED', { message: `The kernel's parse tree is malformed: ${what}` });
}
