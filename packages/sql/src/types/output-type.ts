import { type KernelType, quoteName, quoteText } from '@tessera/kernel';
import type { ScalarKind, SqlType } from './sql-type.ts';

/** The output form of a kernel type: its type in the dialect, and the conversion that its values need. */
export interface OutputType {
  readonly type: SqlType;
  /** SQL that converts the value of the given SQL; undefined if no conversion is needed. */
  readonly convert: ((value: string) => string) | undefined;
}

/** Marks object identifiers of PostgreSQL's catalog, which are UINTEGER in the kernel, in the output type. */
export function withOids(kernelType: KernelType, type: SqlType): SqlType {
  if (kernelType.id === 'UINTEGER') return { kind: 'long', postgres: 'oid' };
  if (kernelType.id !== 'LIST' || type.kind !== 'array') return type;
  return { kind: 'array', element: withOids(kernelType.child, type.element) };
}

const castTo = (sqlType: string) => (value: string) => `CAST(${value} AS ${sqlType})`;

const SCALARS: Readonly<Record<string, ScalarKind>> = {
  BOOLEAN: 'boolean',
  INTEGER: 'int',
  BIGINT: 'long',
  FLOAT: 'float',
  DOUBLE: 'double',
  VARCHAR: 'text',
  JSON: 'json',
  BLOB: 'bytea',
  DATE: 'date',
  TIMESTAMP: 'timestamp',
  TIMESTAMPTZ: 'timestamptz',
};

const WIDENED: Readonly<Record<string, readonly [ScalarKind | 'decimal', string, number?]>> = {
  TINYINT: ['int', 'INTEGER'],
  SMALLINT: ['int', 'INTEGER'],
  UTINYINT: ['int', 'INTEGER'],
  USMALLINT: ['int', 'INTEGER'],
  UINTEGER: ['long', 'BIGINT'],
  UBIGINT: ['decimal', 'DECIMAL(20, 0)', 20],
  HUGEINT: ['decimal', 'DECIMAL(38, 0)', 38],
  UHUGEINT: ['decimal', 'DECIMAL(38, 0)', 38],
  TIMESTAMP_S: ['timestamp', 'TIMESTAMP'],
  TIMESTAMP_MS: ['timestamp', 'TIMESTAMP'],
  TIMESTAMP_NS: ['timestamp', 'TIMESTAMP'],
  TIMESTAMPTZ_NS: ['timestamptz', 'TIMESTAMPTZ'],
  VARIANT: ['json', 'JSON'],
};

/** Types that the dialect does not have (TIME, INTERVAL, UUID, ENUM, BIT, …) are output as text. */
const AS_TEXT: OutputType = { type: { kind: 'text' }, convert: castTo('VARCHAR') };
const INTERVAL: OutputType = { type: { kind: 'text' }, convert: (value) => `tsr_interval_text(${value})` };

/** The dialect's type of a kernel type, at any depth of nesting. */
export function outputType(type: KernelType): OutputType {
  switch (type.id) {
    case 'DECIMAL':
      return { type: { kind: 'decimal', precision: type.width, scale: type.scale }, convert: undefined };
    case 'LIST':
      return arrayOf(outputType(type.child), undefined);
    case 'ARRAY':
      return arrayOf(outputType(type.child), (value) => `list_transform(${value}, lambda x: x)`);
    case 'STRUCT':
      return type.fields.every(({ name }) => name === '')
        ? rowOf(type.fields.map((f) => outputType(f.type)))
        : structOf(type.fields.map((f) => ({ name: f.name, ...outputType(f.type) })));
    case 'MAP': {
      const entry = structOf([
        { name: 'key', ...outputType(type.key) },
        { name: 'value', ...outputType(type.value) },
      ]);
      return arrayOf(entry, (value) => `map_entries(${value})`);
    }
    case 'UNION':
      return { type: { kind: 'json' }, convert: (value) => `to_json(${value})` };
    case 'ENUM':
      return AS_TEXT;
    case 'INTERVAL':
      return INTERVAL;
    default:
      return scalar(type.id);
  }
}

function scalar(id: string): OutputType {
  const kind = SCALARS[id];
  if (kind !== undefined) return { type: { kind }, convert: undefined };
  const widened = WIDENED[id];
  if (widened === undefined) return AS_TEXT;
  const [wide, sqlType, precision] = widened;
  const type: SqlType = wide === 'decimal' ? { kind: wide, precision: precision!, scale: 0 } : { kind: wide };
  return { type, convert: castTo(sqlType) };
}

function arrayOf(element: OutputType, toList: ((value: string) => string) | undefined): OutputType {
  const type: SqlType = { kind: 'array', element: element.type };
  const { convert } = element;
  if (convert === undefined) return { type, convert: toList };
  return {
    type,
    convert: (value) => `list_transform(${toList?.(value) ?? value}, lambda x: ${convert('x')})`,
  };
}

/** `(1, 'a b')`, whose fields have no names, is the text `(1,"a b")`, as in PostgreSQL. */
function rowOf(fields: readonly OutputType[]): OutputType {
  return {
    type: { kind: 'text' },
    convert: (value) => {
      const items = fields.map(({ convert }, i) => {
        const field = `struct_extract(${value}, ${i + 1})`;
        // The macro repeats its argument, and a row in a row would do so again.
        return convert === undefined
          ? `tsr_row_item(${field})`
          : `list_transform([${convert(field)}], lambda item: tsr_row_item(item))[1]`;
      });
      return `CASE WHEN ${value} IS NOT NULL THEN '(' || concat_ws(',', ${items.join(', ')}) || ')' END`;
    },
  };
}

interface OutputFieldType extends OutputType {
  readonly name: string;
}

function structOf(fields: readonly OutputFieldType[]): OutputType {
  const type: SqlType = { kind: 'struct', fields: fields.map((f) => ({ name: f.name, type: f.type })) };
  if (fields.every((f) => f.convert === undefined)) return { type, convert: undefined };
  return {
    type,
    convert: (value) => {
      const packed = fields.map((f) => {
        const field = `struct_extract(${value}, ${quoteText(f.name)})`;
        return `${quoteName(f.name)} := ${f.convert?.(field) ?? field}`;
      });
      return `CASE WHEN ${value} IS NULL THEN NULL ELSE struct_pack(${packed.join(', ')}) END`;
    },
  };
}
