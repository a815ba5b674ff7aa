import { fail, TesseraError } from '@tessera/common';
import type { StatementDescription } from '@tessera/coordinator';
import { isParameter, locationAt, type SqlType, TokenCursor } from '@tessera/sql';
import { type PreparedStatementFacts, typedColumn } from '@tessera/system-catalog';
import type { ParsedStatement } from '../statements/parsed-statement.ts';
import { parameterType } from '../values/type-oids.ts';

/** A statement that a client parses once and runs any number of times. */
export interface PreparedStatement {
  /** Undefined if the text contained no statement. */
  readonly parsed: ParsedStatement | undefined;
  /**
   * The parameter types that the client declared, as OIDs. The server infers the types for 0 and missing
   * entries.
   */
  readonly parameterOids: readonly number[];
  /** The parameter types by position, if they are not given as OIDs. */
  readonly parameterTypes: readonly (SqlType | undefined)[];
  readonly parameterCount: number;
  /** The text of the PREPARE statement that created it; undefined if a Parse message did. */
  readonly sqlText: string | undefined;
  readonly preparedAt: Date;
  /** The number of times that it was started. */
  executions: number;
  /** The parameter types and result columns, once they were requested. */
  description: Promise<StatementDescription> | undefined;
  /** The result of the latest description. */
  described: StatementDescription | undefined;
}

/** @throws TesseraError STATEMENT_TOO_COMPLEX if the number of a parameter is beyond the limit of the protocol */
export function preparedStatement(
  parsed: ParsedStatement | undefined,
  given: {
    readonly oids?: readonly number[];
    readonly types?: readonly (SqlType | undefined)[];
    readonly sqlText?: string;
  } = {},
): PreparedStatement {
  return {
    parsed,
    parameterOids: given.oids ?? [],
    parameterTypes: given.types ?? [],
    parameterCount: parsed === undefined ? 0 : countParameters(parsed),
    sqlText: given.sqlText,
    preparedAt: new Date(),
    executions: 0,
    description: undefined,
    described: undefined,
  };
}

function factsOf(name: string, statement: PreparedStatement): PreparedStatementFacts {
  const { parsed, sqlText, preparedAt, executions, parameterCount, parameterOids, parameterTypes } =
    statement;
  // The pending description must not be awaited, because it may be the caller.
  const { described } = statement;
  const types = Array.from(
    { length: Math.max(parameterCount, described?.parameters.length ?? 0) },
    (_, i) => {
      const known = described?.parameters.find((parameter) => parameter.name === `$${i + 1}`)?.type;
      return parameterTypes[i] ?? parameterType(parameterOids[i] ?? 0) ?? known ?? TEXT;
    },
  );
  return {
    name,
    statement: sqlText ?? parsed?.text ?? '',
    preparedAt,
    parameterTypes: types.map((type) => typedColumn(type).type.sqlName),
    fromSql: sqlText !== undefined,
    executions,
  };
}

const TEXT: SqlType = { kind: 'text' };

/** Bind counts its values in 16 bits, so that no client can give a value to a higher `$n`. */
const MAX_PARAMETERS = 65_535;

/** The highest `$n` in a statement. @throws TesseraError STATEMENT_TOO_COMPLEX at the first one that no client can bind */
function countParameters({ text, whole, offset }: ParsedStatement): number {
  if (!text.includes('$')) return 0;
  let highest = 0;
  for (const token of new TokenCursor(text).tokens) {
    const { image } = token;
    if (!isParameter(token) || !/^\$\d/.test(image)) continue;
    const number = Number(image.slice(1));
    if (number > MAX_PARAMETERS) {
      const start = offset + token.startOffset;
      const location = locationAt(whole, start, start + image.length);
      const hint = `Number them from $1: no client can bind a value to ${image}`;
      fail('STATEMENT_TOO_COMPLEX', { what: 'parameters', limit: MAX_PARAMETERS, hint }, { location });
    }
    highest = Math.max(highest, number);
  }
  return highest;
}

/**
 * The prepared statements of a connection by name, from both the protocol and PREPARE; `''` is the unnamed
 * statement.
 */
export class PreparedStatements {
  readonly #statements = new Map<string, PreparedStatement>();

  /** Adds a statement; the unnamed one is replaced. @throws TesseraError DUPLICATE_PREPARED_STATEMENT */
  add(name: string, statement: PreparedStatement): void {
    this.checkFree(name);
    this.#statements.set(name, statement);
  }

  /** @throws TesseraError DUPLICATE_PREPARED_STATEMENT */
  checkFree(name: string): void {
    if (name === '' || !this.#statements.has(name)) return;
    throw TesseraError.of('DUPLICATE_PREPARED_STATEMENT', { name });
  }

  /** The named statements, as `pg_prepared_statements` shows them. */
  facts(): readonly PreparedStatementFacts[] {
    const named = [...this.#statements].filter(([name]) => name !== '');
    return named.map(([name, statement]) => factsOf(name, statement));
  }

  /** @throws TesseraError UNDEFINED_PREPARED_STATEMENT */
  get(name: string): PreparedStatement {
    const statement = this.#statements.get(name);
    if (statement === undefined) throw TesseraError.of('UNDEFINED_PREPARED_STATEMENT', { name });
    return statement;
  }

  remove(name: string): void {
    this.#statements.delete(name);
  }

  clear(): void {
    this.#statements.clear();
  }
}
