import { fail } from '@tessera/common';
import { quoteName } from '@tessera/kernel';
import type { TableColumn, TableField } from '../file-scan.ts';
import { parseMetadata } from '../table/read-metadata.ts';
import type { TableMetadata } from './log-actions.ts';

type DeltaType =
  | string
  | { readonly type: 'struct'; readonly fields: readonly DeltaField[] }
  | { readonly type: 'array'; readonly elementType: DeltaType }
  | { readonly type: 'map'; readonly keyType: DeltaType; readonly valueType: DeltaType };

interface DeltaField {
  readonly name: string;
  readonly type: DeltaType;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A column of the table, with the name under which the log has its values. */
export interface DeltaColumn extends TableColumn {
  readonly logName: string;
  readonly isPartition: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'VARCHAR',
  long: 'BIGINT',
  integer: 'INTEGER',
  short: 'SMALLINT',
  byte: 'TINYINT',
  float: 'FLOAT',
  double: 'DOUBLE',
  boolean: 'BOOLEAN',
  binary: 'BLOB',
  date: 'DATE',
  timestamp: 'TIMESTAMPTZ',
  timestamp_ntz: 'TIMESTAMP',
};

/** @throws TesseraError BAD_FILE, NOT_SUPPORTED */
export function deltaColumns(
  { schemaString, partitionColumns, configuration }: TableMetadata,
  table: string,
): readonly DeltaColumn[] {
  const name = `the schema of ${table}`;
  const mode = configuration?.['delta.columnMapping.mode'] ?? 'none';
  if (!['none', 'name', 'id'].includes(mode))
    fail('NOT_SUPPORTED', { what: `The column mapping mode "${mode}" of ${table}` });
  const schema = parseMetadata<{ readonly fields?: readonly DeltaField[] } | null>(
    schemaString ?? 'null',
    name,
  );
  const fields = schema?.fields;
  if (!Array.isArray(fields)) return fail('BAD_FILE', { name, reason: 'it has no "fields"' });
  return fields.map((field: DeltaField): DeltaColumn => {
    const logName = mode === 'none' ? field.name : physicalName(field);
    return {
      name: field.name,
      type: kernelType(field.type, `column ${field.name} of ${table}`),
      logName,
      storedNames: [logName],
      isPartition: partitionColumns.includes(field.name),
      absent: null,
      ...(mode !== 'none' && { field: fieldOf(field), isByName: mode === 'name' }),
    };
  });
}

const physicalName = ({ name, metadata }: DeltaField): string =>
  String(metadata?.['delta.columnMapping.physicalName'] ?? name);

function kernelType(type: DeltaType, at: string): string {
  if (typeof type === 'string') {
    const decimal = /^decimal(?:\(\s*(\d+)\s*,\s*(-?\d+)\s*\))?$/.exec(type);
    if (decimal !== null) return `DECIMAL(${decimal[1] ?? 10},${decimal[2] ?? 0})`;
    return TYPES[type] ?? fail('NOT_SUPPORTED', { what: `The Delta Lake type ${type} of ${at}` });
  }
  switch (type.type) {
    case 'struct':
      return `STRUCT(${type.fields.map((field) => `${quoteName(field.name)} ${kernelType(field.type, at)}`).join(', ')})`;
    case 'array':
      return `${kernelType(type.elementType, at)}[]`;
    case 'map':
      return `MAP(${kernelType(type.keyType, at)}, ${kernelType(type.valueType, at)})`;
  }
}

/** Fields that have no id of their own, like the elements of a list. */
const NO_ID = -1;

function fieldOf({ name, type, metadata }: DeltaField): TableField {
  const id = Number(metadata?.['delta.columnMapping.id'] ?? NO_ID);
  return { id, name, fields: typeof type === 'string' ? [] : innerFields(type) };
}

function innerFields(type: Exclude<DeltaType, string>): readonly TableField[] {
  switch (type.type) {
    case 'struct':
      return type.fields.map(fieldOf);
    case 'array':
      return [fieldOf({ name: 'element', type: type.elementType })];
    case 'map':
      return [fieldOf({ name: 'key', type: type.keyType }), fieldOf({ name: 'value', type: type.valueType })];
  }
}
