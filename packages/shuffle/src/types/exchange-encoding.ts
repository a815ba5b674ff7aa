import { type KernelField, type KernelType, typeToSql } from '@tessera/kernel';

/** Types that leave the kernel as no Arrow value, or as one that holds less; their texts hold all. */
const AS_TEXT: ReadonlySet<string> = new Set(['UHUGEINT', 'BIGNUM', 'BIT', 'TIMETZ', 'INTERVAL', 'GEOMETRY']);

/**
 * A type that Arrow carries exactly, and whose values can be cast from and to `type` without a loss; `type` itself when
 * it is one. So a column is decoded by a cast to the type that it had.
 */
export function carriedType(type: KernelType): KernelType {
  switch (type.id) {
    case 'LIST':
      return { id: 'LIST', child: carriedType(type.child) };
    case 'ARRAY':
      return { id: 'ARRAY', child: carriedType(type.child), size: type.size };
    case 'STRUCT':
      return { id: 'STRUCT', fields: carriedFields(type.fields) };
    case 'UNION':
      return { id: 'UNION', members: carriedFields(type.members) };
    case 'MAP':
      return { id: 'MAP', key: carriedType(type.key), value: carriedType(type.value) };
    default:
      return AS_TEXT.has(type.id) ? { id: 'VARCHAR' } : type;
  }
}

const carriedFields = (fields: readonly KernelField[]): KernelField[] =>
  fields.map((field) => ({ name: field.name, type: carriedType(field.type) }));

/** SQL of a column as it travels. */
export function encodedSql(column: string, type: KernelType): string {
  const carried = typeToSql(carriedType(type));
  return carried === typeToSql(type) ? column : `CAST(${column} AS ${carried}) AS ${column}`;
}
