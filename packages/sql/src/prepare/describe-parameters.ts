import { formatTypeName } from '../types/sql-type.ts';
import type { QueryDescription } from './describe-query.ts';

/** What `execution_mode=describe_parameters` answers. */
export interface ParameterDescription {
  /** By parameter, `$1`: the type that its place in the statement asks for, text where it asks for none. */
  readonly parameter_types: Readonly<Record<string, string>>;
  readonly result_columns: readonly { readonly name: string; readonly type: string }[];
}

/** For statements that are no queries. */
export const NO_PARAMETERS: ParameterDescription = { parameter_types: {}, result_columns: [] };

export const parameterDescription = ({ parameters, columns }: QueryDescription): ParameterDescription => ({
  parameter_types: Object.fromEntries(
    parameters.map(({ name, type }) => [name, formatTypeName({ type, nullable: false })]),
  ),
  result_columns: columns.map((column) => ({ name: column.name, type: formatTypeName(column) })),
});
