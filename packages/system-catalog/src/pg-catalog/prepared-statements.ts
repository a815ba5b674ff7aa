import type { SystemRelation } from '../facts/system-relation.ts';
import type { PostgresFacts } from './postgres-facts.ts';
import { catalogRelation } from './row.ts';

/** `pg_prepared_statements` of the connection. */
export const preparedStatements = ({ preparedStatements: prepared }: PostgresFacts): SystemRelation =>
  catalogRelation(
    'pg_prepared_statements',
    prepared.map(({ name, statement, preparedAt, parameterTypes, fromSql, executions }) => ({
      name,
      statement,
      prepare_time: preparedAt,
      parameter_types: parameterTypes,
      from_sql: fromSql,
      generic_plans: 0,
      custom_plans: executions,
    })),
  );
