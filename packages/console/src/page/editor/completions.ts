import type { Completion } from '@codemirror/autocomplete';
import { catalog, columnsByTable, functions } from '../state/catalog.ts';
import type { Completions } from './editor.ts';

type Tables = Record<string, Record<string, Completion[]>>;

/** The names of the catalog for completion: schemas, tables, their columns with types, functions. */
export function catalogCompletions(): Completions {
  const tables: Tables = { public: {} };
  const columnsByName = new Map<string, Completion[]>();
  for (const { table_schema, table_name } of catalog.value?.tables ?? []) {
    const columns = columnsByTable.value.get(`${table_schema}.${table_name}`) ?? [];
    tables[table_schema] ??= {};
    const options = columns.map(({ column_name, data_type }) => ({
      label: column_name,
      detail: data_type,
      type: 'property',
    }));
    tables[table_schema][table_name] = options;
    columnsByName.set(table_name.toLowerCase(), options);
  }
  return {
    tables,
    columns: columnsByName,
    functions: functions.value.map(({ name, signature, description }) => ({
      label: name,
      type: 'function',
      detail: 'function',
      info: `${signature}\n${description}`,
      apply: `${name}(`,
      // Columns and tables come before functions with the same beginning.
      boost: -1,
    })),
  };
}
