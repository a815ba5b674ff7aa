import { secretKeys } from '@tessera/common';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * Converts values of a type to and from JSON. Reading is strict: a missing, unknown or mistyped field is an error that
 * names its place.
 */
export interface Codec<T> {
  toJson(value: T): Json;
  /** @throws MalformedJson */
  fromJson(json: unknown, place: string): T;
}

/** JSON that is not what a codec reads. */
export class MalformedJson extends Error {
  constructor(place: string, expected: string, found: unknown) {
    const text = JSON.stringify(found) ?? 'nothing';
    const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
    super(`${place === '' ? 'The document' : place}: expected ${expected}, found ${shown}`);
  }
}

function primitive<T extends string | number | boolean>(
  expected: string,
  test: (json: unknown) => json is T,
): Codec<T> {
  return {
    toJson: (value) => value,
    fromJson: (json, place) => {
      if (!test(json)) throw new MalformedJson(place, expected, json);
      return json;
    },
  };
}

export const text: Codec<string> = primitive('text', (json) => typeof json === 'string');
export const flag: Codec<boolean> = primitive('true or false', (json) => typeof json === 'boolean');
/** An integer that is not negative. */
export const count: Codec<number> = primitive(
  'an integer',
  (json): json is number => Number.isSafeInteger(json) && (json as number) >= 0,
);

export const timestamp: Codec<string> = primitive(
  'an ISO 8601 time in UTC',
  (json): json is string => typeof json === 'string' && /Z$/.test(json) && !Number.isNaN(Date.parse(json)),
);

/** Text of a branded type. */
export const id = <T extends string>(): Codec<T> => text as unknown as Codec<T>;

export function oneOf<const T extends string | true>(...values: T[]): Codec<T> {
  return primitive(values.map((value) => JSON.stringify(value)).join(' or '), (json): json is T =>
    (values as unknown[]).includes(json),
  );
}

export function nullable<T>(codec: Codec<T>): Codec<T | null> {
  return {
    toJson: (value) => (value === null ? null : codec.toJson(value)),
    fromJson: (json, place) => (json === null ? null : codec.fromJson(json, place)),
  };
}

export function list<T>(codec: Codec<T>): Codec<readonly T[]> {
  return {
    toJson: (values) => values.map((value) => codec.toJson(value)),
    fromJson: (json, place) => {
      if (!Array.isArray(json)) throw new MalformedJson(place, 'an array', json);
      return json.map((item, i) => codec.fromJson(item, `${place}[${i}]`));
    },
  };
}

/** An object with any keys. */
const textMap: Codec<Readonly<Record<string, string>>> = {
  toJson: (value) => ({ ...value }),
  fromJson: (json, place) => {
    const entries = Object.entries(asObject(json, place));
    return Object.fromEntries(entries.map(([key, value]) => [key, text.fromJson(value, `${place}.${key}`)]));
  },
};

const SECRET_NAME = /secret|token|password|credential|key|signature|sas/i;

/** Like `textMap`, but encrypts values whose names mark them as secrets if the environment has a key. */
export const secretMap: Codec<Readonly<Record<string, string>>> = {
  toJson: (value) => mapSecrets(value, (text, name) => secretKeys().seal(text, name)),
  fromJson: (json, place) =>
    mapSecrets(textMap.fromJson(json, place), (text, name) => secretKeys().open(text, name)),
};

const mapSecrets = (
  value: Readonly<Record<string, string>>,
  change: (text: string, name: string) => string,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(value).map(([name, text]) => [name, SECRET_NAME.test(name) ? change(text, name) : text]),
  );

export function asObject(json: unknown, place: string): Readonly<Record<string, unknown>> {
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new MalformedJson(place, 'an object', json);
  return json as Readonly<Record<string, unknown>>;
}
