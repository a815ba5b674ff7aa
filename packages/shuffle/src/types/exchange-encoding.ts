import { type KernelType, quoteName, quoteText, typeToSql } from '@tessera/kernel';

/**
 * Types that the kernel cannot export as Arrow values. Their texts are lossless, and casts also convert them
 * inside nested values.
 */
const AS_TEXT: ReadonlySet<string> = new Set(['UHUGEINT', 'BIGNUM', 'BIT', 'TIMETZ']);

/**
 * Types for which a cast is not sufficient: Arrow's intervals count nanoseconds, with a smaller range than
 * the kernel's microseconds, and long intervals have texts that the kernel cannot parse; geometries have
 * bytes; unions of lists are exported as NULLs.
 */
const IN_PARTS: ReadonlySet<string> = new Set(['INTERVAL', 'GEOMETRY', 'UNION']);

/** Whether the text of a type may name one that `decodedSql` must know for decoding. */
export const mayBeInParts = (typeSql: string): boolean => /interval|geometry|union/i.test(typeSql);

/**
 * SQL that converts a value of the type to one that Arrow represents exactly; the value itself if it already
 * is.
 */
export function encodedSql(value: string, type: KernelType): string {
  if (hasParts(type)) return encodeParts(value, type, 0);
  const carried = typeToSql(carriedType(type));
  return carried === typeToSql(type) ? value : `CAST(${value} AS ${carried})`;
}

/**
 * The inverse of `encodedSql`, up to a cast to the type. Where Arrow only has a similar type (DECIMAL for
 * HUGEINT, text for UUID), that cast restores the value too.
 */
export const decodedSql = (value: string, type: KernelType): string =>
  hasParts(type) ? decodeParts(value, type, 0) : value;

function carriedType(type: KernelType): KernelType {
  switch (type.id) {
    case 'LIST':
      return { id: 'LIST', child: carriedType(type.child) };
    case 'ARRAY':
      return { id: 'ARRAY', child: carriedType(type.child), size: type.size };
    case 'STRUCT':
      return {
        id: 'STRUCT',
        fields: type.fields.map((field) => ({ name: field.name, type: carriedType(field.type) })),
      };
    case 'MAP':
      return { id: 'MAP', key: carriedType(type.key), value: carriedType(type.value) };
    default:
      return AS_TEXT.has(type.id) ? { id: 'VARCHAR' } : type;
  }
}

function hasParts(type: KernelType): boolean {
  switch (type.id) {
    case 'LIST':
    case 'ARRAY':
      return hasParts(type.child);
    case 'STRUCT':
      return type.fields.some((field) => hasParts(field.type));
    case 'MAP':
      return hasParts(type.key) || hasParts(type.value);
    default:
      return IN_PARTS.has(type.id);
  }
}

/**
 * A CASE over values of the type, or of its encoded form. The kernel does not support CASE for values that
 * contain fixed-size arrays, unless they are inside lists.
 */
function choice(
  type: KernelType,
  first: string,
  branches: readonly (readonly [when: string, value: string])[],
): string {
  const wrapped = holdsArray(type);
  const whens = branches.map(([when, value]) => `WHEN ${when} THEN ${wrapped ? `[${value}]` : value}`);
  const chosen = `CASE ${first} ${whens.join(' ')} END`;
  return wrapped ? `list_extract(${chosen}, 1)` : chosen;
}

function holdsArray(type: KernelType): boolean {
  switch (type.id) {
    case 'ARRAY':
      return true;
    case 'LIST':
      return holdsArray(type.child);
    case 'STRUCT':
      return type.fields.some((field) => holdsArray(field.type));
    case 'UNION':
      return type.members.some((member) => holdsArray(member.type));
    case 'MAP':
      return holdsArray(type.key) || holdsArray(type.value);
    default:
      return false;
  }
}

const ifNotNull = (type: KernelType, value: string, sql: string): string =>
  choice(type, '', [[`${value} IS NOT NULL`, sql]]);
const item = (depth: number): string => `item${depth}`;
const transformed = (list: string, depth: number, sql: string): string =>
  `list_transform(${list}, lambda ${item(depth)}: ${sql})`;
const packed = (parts: readonly (readonly [name: string, sql: string])[]): string =>
  `struct_pack(${parts.map(([name, sql]) => `${name} := ${sql}`).join(', ')})`;

/**
 * Encodes arrays and maps as lists, structs as structs with fields by position, and unions as such structs
 * with the tag in front.
 */
function encodeParts(value: string, type: KernelType, depth: number): string {
  if (!hasParts(type)) return encodedSql(value, type);
  const inner = item(depth);
  switch (type.id) {
    case 'INTERVAL':
      return ifNotNull(
        type,
        value,
        packed([
          ['months', `(datepart('year', ${value}) * 12 + datepart('month', ${value}))::INTEGER`],
          ['days', `datepart('day', ${value})::INTEGER`],
          [
            'micros',
            `datepart('hour', ${value}) * 3600000000 + datepart('minute', ${value}) * 60000000 + datepart('microseconds', ${value})`,
          ],
        ]),
      );
    case 'GEOMETRY':
      return `st_aswkb(${value})`;
    case 'LIST':
      return transformed(value, depth, encodeParts(inner, type.child, depth + 1));
    case 'ARRAY': {
      const list = `CAST(${value} AS ${typeToSql({ id: 'LIST', child: type.child })})`;
      return transformed(list, depth, encodeParts(inner, type.child, depth + 1));
    }
    case 'MAP': {
      const key = encodeParts(`${inner}.key`, type.key, depth + 1);
      const of = encodeParts(`${inner}.value`, type.value, depth + 1);
      const entries = transformed(
        `map_entries(${value})`,
        depth,
        packed([
          ['k', key],
          ['v', of],
        ]),
      );
      return ifNotNull(type, value, entries);
    }
    case 'STRUCT': {
      const parts = type.fields.map((field, i): [string, string] => [
        `f${i}`,
        encodeParts(`struct_extract_at(${value}, ${i + 1})`, field.type, depth),
      ]);
      return ifNotNull(type, value, packed(parts));
    }
    case 'UNION': {
      const members = type.members.map(({ name, type: of }, i): [string, string] => [
        `f${i}`,
        encodeParts(`union_extract(${value}, ${quoteText(name)})`, of, depth),
      ]);
      return ifNotNull(type, value, packed([['tag', `union_tag(${value})::VARCHAR`], ...members]));
    }
    default:
      throw new Error(`${type.id} has no parts`);
  }
}

function decodeParts(value: string, type: KernelType, depth: number): string {
  const typeSql = typeToSql(type);
  if (!hasParts(type)) return `CAST(${value} AS ${typeSql})`;
  const inner = item(depth);
  switch (type.id) {
    case 'INTERVAL':
      return `(to_months(${value}.months) + to_days(${value}.days) + to_microseconds(${value}.micros))`;
    case 'GEOMETRY':
      return `st_geomfromwkb(${value})`;
    case 'LIST':
      return transformed(value, depth, decodeParts(inner, type.child, depth + 1));
    case 'ARRAY':
      return `CAST(${transformed(value, depth, decodeParts(inner, type.child, depth + 1))} AS ${typeSql})`;
    case 'MAP': {
      const key = decodeParts(`${inner}.k`, type.key, depth + 1);
      const of = decodeParts(`${inner}.v`, type.value, depth + 1);
      const entries = transformed(
        value,
        depth,
        packed([
          ['k', key],
          ['v', of],
        ]),
      );
      return ifNotNull(type, value, `CAST(map_from_entries(${entries}) AS ${typeSql})`);
    }
    case 'STRUCT': {
      const fields = type.fields.map((field, i) => decodeParts(`${value}.f${i}`, field.type, depth));
      return ifNotNull(type, value, `CAST(row(${fields.join(', ')}) AS ${typeSql})`);
    }
    case 'UNION': {
      const branches = type.members.map(({ name, type: of }, i): [string, string] => {
        const member = decodeParts(`${value}.f${i}`, of, depth);
        return [quoteText(name), `CAST(union_value(${quoteName(name)} := ${member}) AS ${typeSql})`];
      });
      return choice(type, `${value}.tag`, branches);
    }
    default:
      throw new Error(`${type.id} has no parts`);
  }
}
