import { fail } from '@tessera/common';
import { quoteName } from '@tessera/kernel';
import type { TableField } from '../file-scan.ts';
import type { IcebergField, IcebergType } from './metadata.ts';

const TYPES: Readonly<Record<string, string>> = {
  boolean: 'BOOLEAN',
  int: 'INTEGER',
  long: 'BIGINT',
  float: 'FLOAT',
  double: 'DOUBLE',
  date: 'DATE',
  time: 'TIME',
  timestamp: 'TIMESTAMP',
  timestamptz: 'TIMESTAMPTZ',
  timestamp_ns: 'TIMESTAMP_NS',
  timestamptz_ns: 'TIMESTAMPTZ',
  string: 'VARCHAR',
  uuid: 'UUID',
  binary: 'BLOB',
};

/**
 * The kernel's SQL for a type.
 * @param at the column and the file, for messages
 * @throws TesseraError NOT_SUPPORTED
 */
export function kernelType(type: IcebergType, at: string): string {
  if (typeof type === 'string') {
    const decimal = /^decimal\(\s*(\d+)\s*,\s*(\d+)\s*\)$/.exec(type);
    if (decimal !== null) return `DECIMAL(${decimal[1]},${decimal[2]})`;
    if (type.startsWith('fixed[')) return 'BLOB';
    return TYPES[type] ?? fail('NOT_SUPPORTED', { what: `The Iceberg type ${type} of ${at}` });
  }
  switch (type.type) {
    case 'struct': {
      const fields = type.fields.map((field) => `${quoteName(field.name)} ${kernelType(field.type, at)}`);
      return `STRUCT(${fields.join(', ')})`;
    }
    case 'list':
      return `${kernelType(type.element, at)}[]`;
    case 'map':
      return `MAP(${kernelType(type.key, at)}, ${kernelType(type.value, at)})`;
  }
}

/** The ids of a field and of the fields in it. */
export function fieldIds({ id, name, type }: Pick<IcebergField, 'id' | 'name' | 'type'>): TableField {
  return { id, name, fields: typeof type === 'string' ? [] : innerFields(type) };
}

function innerFields(type: Exclude<IcebergType, string>): readonly TableField[] {
  switch (type.type) {
    case 'struct':
      return type.fields.map(fieldIds);
    case 'list':
      return [fieldIds({ id: type['element-id'], name: 'element', type: type.element })];
    case 'map':
      return [
        fieldIds({ id: type['key-id'], name: 'key', type: type.key }),
        fieldIds({ id: type['value-id'], name: 'value', type: type.value }),
      ];
  }
}
