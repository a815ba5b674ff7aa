import { formatTypeName } from '../types/sql-type.ts';
import type { QueryDescription } from './describe-query.ts';

/** The answer to `execution_mode=describe_parameters`. */
export interface ParameterDescription {
  /**
   * The type of each parameter (`$1`): the type that its position in the statement requires, or text if it
   * requires none.
   */
  readonly parameter_types: Readonly<Record<string, string>>;
  readonly result_columns: readonly { readonly name: string; readonly type: string }[];
}

/** The answer for statements other than queries. */
export const NO_PARAMETERS: ParameterDescription = { parameter_types: {}, result_columns: [] };

export const parameterDescription = ({ parameters, columns }: QueryDescription): ParameterDescription => ({
  parameter_types: Object.fromEntries(
    parameters.map(({ name, type }) => [name, formatTypeName({ type, nullable: false })]),
  ),
  result_columns: columns.map((column) => ({ name: column.name, type: formatTypeName(column) })),
});
