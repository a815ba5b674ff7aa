import { asObject, type Codec, type Json, MalformedJson } from './codec.ts';

interface OptionalField<T> {
  readonly optional: Codec<T>;
}

/** A field that may be absent. */
export const optional = <T>(codec: Codec<T>): OptionalField<T> => ({ optional: codec });

type OptionalKeys<T> = { [K in keyof T]-?: Record<never, never> extends Pick<T, K> ? K : never }[keyof T];

/** The codec of each field; those that may be absent are `optional`. */
export type Fields<T> = {
  readonly [K in keyof T]-?: K extends OptionalKeys<T>
    ? OptionalField<Exclude<T[K], undefined>>
    : Codec<T[K]>;
};

interface Field {
  readonly property: string;
  readonly key: string;
  readonly codec: Codec<unknown>;
  readonly optional: boolean;
}

/** An object whose keys are the names of the fields in snake case: `readVersion` stands as `read_version`. */
export function record<T extends object>(fields: Fields<T>): Codec<T> {
  return fieldsCodec<T>(fieldsOf(fields), undefined);
}

/** Objects that are distinguished by their `kind`. */
export function union<T extends { readonly kind: string }>(
  variants: {
    readonly [K in T['kind']]: Fields<Omit<Extract<T, { readonly kind: K }>, 'kind'>>;
  },
): Codec<T> {
  const codecs = new Map<string, Codec<T>>();
  for (const [kind, fields] of Object.entries(variants))
    codecs.set(kind, fieldsCodec<T>(fieldsOf(fields as Fields<object>), kind));
  return {
    toJson: (value) => codecs.get(value.kind)!.toJson(value),
    fromJson: (json, place) => {
      const { kind } = asObject(json, place);
      const codec = typeof kind === 'string' ? codecs.get(kind) : undefined;
      if (codec === undefined) throw new MalformedJson(`${place}.kind`, [...codecs.keys()].join(', '), kind);
      return codec.fromJson(json, place);
    },
  };
}

const fieldsOf = <T>(fields: Fields<T>): Field[] =>
  Object.entries(fields as Record<string, Codec<unknown> | OptionalField<unknown>>).map(
    ([property, field]) => ({
      property,
      key: property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      codec: 'optional' in field ? field.optional : field,
      optional: 'optional' in field,
    }),
  );

function fieldsCodec<T>(fields: readonly Field[], kind: string | undefined): Codec<T> {
  const known = new Set(fields.map((field) => field.key));
  if (kind !== undefined) known.add('kind');
  return {
    toJson: (value) => {
      const json: Record<string, Json> = kind === undefined ? {} : { kind };
      for (const field of fields) {
        const content = (value as Record<string, unknown>)[field.property];
        if (content !== undefined) json[field.key] = field.codec.toJson(content);
      }
      return json;
    },
    fromJson: (json, place) => {
      const source = asObject(json, place);
      const value: Record<string, unknown> = kind === undefined ? {} : { kind };
      let found = kind === undefined ? 0 : 1;
      for (const field of fields) {
        const content = source[field.key];
        if (content === undefined && field.optional) continue;
        value[field.property] = field.codec.fromJson(
          content,
          place === '' ? field.key : `${place}.${field.key}`,
        );
        found++;
      }
      if (found !== Object.keys(source).length) refuseUnknown(source, known, place);
      return value as T;
    },
  };
}

function refuseUnknown(source: object, known: ReadonlySet<string>, place: string): void {
  const key = Object.keys(source).find((name) => !known.has(name));
  if (key !== undefined) throw new MalformedJson(place, `only the fields ${[...known].join(', ')}`, key);
}
