import { z } from 'zod';
import { BYTE_SIZE_PATTERN, parseByteSize } from '../values/byte-size.ts';
import { DURATION_PATTERN, parseDurationMs } from '../values/duration.ts';

/** Whether the engine already acts on a parameter, or the feature with which it will. */
export type Effect = 'in effect' | `arrives with ${string}`;

export type ScalarType =
  | 'string'
  | 'integer'
  | 'float'
  | 'boolean'
  | 'duration'
  | 'byte size'
  | 'ulid'
  | 'enum';

/** The properties of a parameter besides its zod type. Defaults are written as in the file (`30s`, `0B`). */
export interface Declaration {
  readonly type: ScalarType | 'object' | 'object[]';
  readonly meaning: string;
  /** Completes the sentence "expected …". */
  readonly expected: string;
  /** If absent, the parameter is required. */
  readonly default?: unknown;
  readonly effect?: Effect;
  /**
   * A valid example of a required value. It is shown in the documentation, and replaces a missing value so that
   * checking can continue.
   */
  readonly example?: unknown;
  /** Whether `config show` must hide the value. */
  readonly secret?: boolean;
  readonly values?: readonly string[];
  /** The parameters of an object, or of an element of an object[]. */
  readonly fields?: Readonly<Record<string, z.ZodType>>;
  readonly jsonSchema?: Readonly<Record<string, unknown>>;
}

const declarations = new WeakMap<z.ZodType, Declaration>();

/** The declaration of a schema, if one of the functions below created it. */
export const declarationOf = (schema: z.ZodType): Declaration | undefined => declarations.get(schema);

interface About<D> {
  readonly effect: Effect;
  readonly default?: D;
  readonly example?: D;
  readonly secret?: boolean;
}
type Value<T, A> = A extends { default: null } ? T | null : T;

/** Gives a type its default and registers its declaration. */
function declare<T, A extends { readonly default?: unknown }>(
  base: z.ZodType<T>,
  about: A,
  declaration: Declaration,
): z.ZodType<Value<T, A>> {
  const schema =
    about.default === undefined
      ? base
      : about.default === null
        ? base.nullable().default(null)
        : base.prefault(about.default as never);
  declarations.set(schema, declaration);
  return schema as z.ZodType<Value<T, A>>;
}

interface TextRules {
  readonly test?: (text: string) => boolean;
  readonly expected?: string;
  readonly jsonSchema?: NonNullable<Declaration['jsonSchema']>;
}

export function string<const A extends About<string | null> & TextRules>(meaning: string, about: A) {
  const expected = about.expected ?? (about.default === undefined ? 'a non-empty string' : 'a string');
  const test = about.test ?? ((text: string) => about.default !== undefined || text !== '');
  return declare(z.string().refine(test), about, { ...about, type: 'string', meaning, expected });
}

interface Bounds {
  readonly min?: number;
  readonly max?: number;
}
const bounded = (noun: string, { min, max }: Bounds) =>
  min === undefined ? noun : max === undefined ? `${noun} ≥ ${min}` : `${noun} from ${min} to ${max}`;

export function integer<const A extends About<number | null> & Bounds>(meaning: string, about: A) {
  const base = z
    .int()
    .min(about.min ?? 0)
    .max(about.max ?? Number.MAX_SAFE_INTEGER);
  const expected = bounded('an integer', { ...about, min: about.min ?? 0 });
  return declare(base, about, { ...about, type: 'integer', meaning, expected });
}

export function float<const A extends About<number | null> & Bounds>(meaning: string, about: A) {
  const base = z
    .number()
    .min(about.min ?? 0)
    .max(about.max ?? Number.MAX_VALUE);
  const expected = bounded('a number', { ...about, min: about.min ?? 0 });
  return declare(base, about, { ...about, type: 'float', meaning, expected });
}

export function boolean<const A extends About<boolean | null>>(meaning: string, about: A) {
  return declare(z.boolean(), about, { ...about, type: 'boolean', meaning, expected: 'true or false' });
}

/** The parsed value is in milliseconds. */
export function duration<const A extends About<string> & { readonly positive?: true }>(
  meaning: string,
  about: A,
) {
  const base = z.string().transform((text, context) => {
    const ms = parseDurationMs(text);
    if (ms !== undefined && (ms > 0 || !about.positive)) return ms;
    context.addIssue({ code: 'custom' });
    return z.NEVER;
  });
  const expected = `a duration${about.positive ? ' > 0' : ''} (a number with s, m, h or d, such as 30s)`;
  const jsonSchema = { type: 'string', pattern: DURATION_PATTERN };
  return declare(base, about, { ...about, type: 'duration', meaning, expected, jsonSchema });
}

/** The parsed value is in bytes. */
export function byteSize<const A extends About<string>>(meaning: string, about: A) {
  const base = z.union([z.int().min(0), z.string()]).transform((written, context) => {
    const bytes = parseByteSize(String(written));
    if (bytes !== undefined) return bytes;
    context.addIssue({ code: 'custom' });
    return z.NEVER;
  });
  const expected = 'a byte size (a number, alone or with B, KB, MB, GB, TB, KiB, MiB, GiB or TiB)';
  const jsonSchema = {
    anyOf: [
      { type: 'integer', minimum: 0 },
      { type: 'string', pattern: BYTE_SIZE_PATTERN },
    ],
  };
  return declare(base, about, { ...about, type: 'byte size', meaning, expected, jsonSchema });
}

/**
 * Crockford's alphabet lacks I, L, O and U. 26 of its digits have 130 bits, so the first digit of a ULID is 0
 * to 7.
 */
const ULID = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/i;

export function ulid<const A extends About<string>>(meaning: string, about: A) {
  const base = z
    .string()
    .regex(ULID)
    .transform((text) => text.toUpperCase());
  const jsonSchema = { type: 'string', pattern: '^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$' };
  return declare(base, about, {
    ...about,
    type: 'ulid',
    meaning,
    expected: 'a ULID (26 characters)',
    jsonSchema,
  });
}

/** Case does not matter in the file; the parsed value has the spelling of `values`. */
export function oneOf<const V extends string, const A extends About<string | null>>(
  meaning: string,
  values: readonly V[],
  about: A,
) {
  const base = z.string().transform((text, context) => {
    const value = values.find((v) => v.toLowerCase() === text.toLowerCase());
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom' });
    return z.NEVER;
  });
  const anyCase = values.map((v) => v.replace(/[a-z]/gi, (c) => `[${c.toUpperCase()}${c.toLowerCase()}]`));
  const jsonSchema = { anyOf: [{ enum: values }, { type: 'string', pattern: `^(${anyCase.join('|')})$` }] };
  const expected = values.length === 1 ? values[0]! : `one of ${values.join(', ')}`;
  return declare(base, about, { ...about, type: 'enum', meaning, expected, values, jsonSchema });
}

type Fields = Readonly<Record<string, z.ZodType>>;
type BlockValue<S extends Fields> = { [K in keyof S]: z.output<S[K]> };

/** A nested block. With the default `{}`, every field of an omitted block gets its own default. */
export function block<S extends Fields, const A extends { default?: Record<never, never> | null }>(
  meaning: string,
  fields: S,
  about: A,
) {
  const base = z.strictObject(fields) as unknown as z.ZodType<BlockValue<S>>;
  return declare(base, about, {
    ...about,
    type: 'object',
    meaning,
    expected: 'a block of parameters',
    fields,
  });
}

/** A list of blocks with the same fields. */
export function list<S extends Fields, const A extends { default: readonly never[] | null }>(
  meaning: string,
  fields: S,
  about: A,
) {
  const base = z.array(z.strictObject(fields)) as unknown as z.ZodType<BlockValue<S>[]>;
  return declare(base, about, { ...about, type: 'object[]', meaning, expected: 'a list of blocks', fields });
}
