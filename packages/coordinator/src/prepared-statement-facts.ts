/** A prepared statement of a connection, as `pg_prepared_statements` shows it. */
export interface PreparedStatementFacts {
  readonly name: string;
  /** As the client sent it. */
  readonly statement: string;
  readonly preparedAt: Date;
  /** PostgreSQL's names of the types, by position. */
  readonly parameterTypes: readonly string[];
  /** PREPARE made it, and not a message of the protocol. */
  readonly fromSql: boolean;
  readonly executions: number;
}
