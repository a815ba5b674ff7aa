import { fail } from '@tessera/common';

/** A JSON document: numbers are kept as their text, because JavaScript's have fewer digits. */
export type JsonValue =
  | { readonly kind: 'null' }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'array'; readonly items: readonly JsonValue[] }
  /** The last value of each key, the shorter keys first and keys of one length in the order of their bytes. */
  | { readonly kind: 'object'; readonly members: readonly (readonly [key: string, value: JsonValue])[] };

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BLANK = 0x20;
const BLANKS: ReadonlySet<number> = new Set([BLANK, 0x09, 0x0a, 0x0d]);
const SURROGATE = /[\ud800-\udfff]/;
/** PostgreSQL's limit is the stack of its server. */
const MAX_LEVELS = 500;
/** An error shows the beginning of a longer text. */
const SHOWN_CHARACTERS = 200;

/**
 * Parses a document as PostgreSQL's `jsonb` reads it.
 * @throws TesseraError CAST_ERROR for a text that is no JSON, UNTRANSLATABLE_CHARACTER for `\u0000`
 */
export const parseJson = (text: string): JsonValue => new JsonReader(text).document();

/** Reads character by character: documents have megabytes, and nothing else runs meanwhile. */
class JsonReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): JsonValue {
    const value = this.#value(0);
    this.#skipBlanks();
    return this.#at === this.#text.length ? value : this.#refuse();
  }

  #value(levels: number): JsonValue {
    if (levels > MAX_LEVELS) this.#refuse();
    if (this.#accept('{')) return this.#object(levels + 1);
    if (this.#accept('[')) return this.#array(levels + 1);
    if (this.#accept('"')) return { kind: 'string', value: this.#string() };
    if (this.#accept('true')) return { kind: 'boolean', value: true };
    if (this.#accept('false')) return { kind: 'boolean', value: false };
    if (this.#accept('null')) return { kind: 'null' };
    NUMBER.lastIndex = this.#at;
    const number = NUMBER.exec(this.#text)?.[0] ?? this.#refuse();
    this.#at += number.length;
    return { kind: 'number', text: number };
  }

  #object(levels: number): JsonValue {
    const members = new Map<string, JsonValue>();
    if (this.#accept('}')) return { kind: 'object', members: [] };
    do {
      if (!this.#accept('"')) this.#refuse();
      const key = this.#string();
      if (!this.#accept(':')) this.#refuse();
      members.set(key, this.#value(levels));
    } while (this.#accept(','));
    if (!this.#accept('}')) this.#refuse();
    return { kind: 'object', members: inOrder([...members]) };
  }

  #array(levels: number): JsonValue {
    const items: JsonValue[] = [];
    if (this.#accept(']')) return { kind: 'array', items };
    do items.push(this.#value(levels));
    while (this.#accept(','));
    if (!this.#accept(']')) this.#refuse();
    return { kind: 'array', items };
  }

  /** The rest of a string after its opening quote. */
  #string(): string {
    const start = this.#at;
    let hasEscapes = false;
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      // This is also true of NaN, which stands after the end.
      if (!(code >= BLANK)) this.#refuse();
      this.#at += 1;
      if (code === QUOTE) break;
      if (code !== BACKSLASH) continue;
      hasEscapes = true;
      this.#at += 1;
    }
    const value = hasEscapes ? this.#unescaped(start) : this.#text.slice(start, this.#at - 1);
    const message = 'unsupported Unicode escape sequence in JSON';
    if (value.includes('\0')) fail('UNTRANSLATABLE_CHARACTER', { message });
    if (!value.isWellFormed()) fail('CAST_ERROR', { message });
    return value;
  }

  #unescaped(start: number): string {
    try {
      return JSON.parse(this.#text.slice(start - 1, this.#at)) as string;
    } catch {
      return this.#refuse();
    }
  }

  #accept(image: string): boolean {
    this.#skipBlanks();
    if (!this.#text.startsWith(image, this.#at)) return false;
    this.#at += image.length;
    return true;
  }

  #skipBlanks(): void {
    while (BLANKS.has(this.#text.charCodeAt(this.#at))) this.#at += 1;
  }

  #refuse(): never {
    const text = this.#text;
    const shown = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
    return fail('CAST_ERROR', { message: `invalid input syntax for type json: ${JSON.stringify(shown)}` });
  }
}

type Member = readonly [key: string, value: JsonValue];

/** The members by the length of their keys in bytes, and keys of one length in the order of their bytes. */
function inOrder(members: readonly Member[]): readonly Member[] {
  return members
    .map((member) => ({ member, key: member[0], bytes: Buffer.byteLength(member[0]) }))
    .sort((a, b) => a.bytes - b.bytes || compareBytes(a.key, b.key))
    .map(({ member }) => member);
}

/** Where no unit of the texts is a surrogate, their order is that of their bytes. */
function compareBytes(a: string, b: string): number {
  if (SURROGATE.test(a) || SURROGATE.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : Number(a > b);
}

/** The text of a document without blanks, in the spelling of the kernel. */
export function jsonText(value: JsonValue): string {
  switch (value.kind) {
    case 'null':
      return 'null';
    case 'boolean':
      return String(value.value);
    case 'number':
      return numberText(value.text);
    case 'string':
      return quoted(value.value);
    case 'array':
      return `[${value.items.map(jsonText).join(',')}]`;
    case 'object':
      return `{${value.members.map(([key, member]) => `${quoted(key)}:${jsonText(member)}`).join(',')}}`;
  }
}

const quoted = (text: string): string =>
  JSON.stringify(text).replace(/\\u00([0-9a-f]{2})/g, (_, digits: string) => `\\u00${digits.toUpperCase()}`);

/** PostgreSQL's limit for digits before the point; it has fewer after it. */
const MAX_DIGITS = 131_072;

/** All digits of a number: PostgreSQL has no negative zero and writes no exponents. */
function numberText(text: string): string {
  const [, sign = '', whole = '', fraction = '', power = '0'] = NUMBER_PARTS.exec(text)!;
  const shift = Number(power);
  if (Math.abs(shift) + text.length > MAX_DIGITS && !/^0*$/.test(whole + fraction))
    fail('OUT_OF_RANGE', { message: 'value overflows numeric format' });
  const decimals = Math.max(0, fraction.length - shift);
  if (/^0*$/.test(whole + fraction))
    return decimals === 0 ? '0' : `0.${'0'.repeat(Math.min(decimals, MAX_DIGITS))}`;
  const digits = (whole + fraction).padEnd(whole.length + shift, '0').padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  const before = digits.slice(0, point).replace(/^0+(?=\d)/, '');
  return `${sign}${before}${decimals === 0 ? '' : `.${digits.slice(point)}`}`;
}

const NUMBER_PARTS = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** The text that a column of type `jsonb` stores for a document. @throws TesseraError as `parseJson` */
export const jsonbText = (text: string): string => jsonText(parseJson(text));
