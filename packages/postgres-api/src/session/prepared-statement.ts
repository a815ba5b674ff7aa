import { TesseraError } from '@tessera/common';
import type { StatementDescription } from '@tessera/coordinator';
import { isParameter, type SqlType, TokenCursor } from '@tessera/sql';
import { type PreparedStatementFacts, typedColumn } from '@tessera/system-catalog';
import type { ParsedStatement } from '../statements/parsed-statement.ts';
import { parameterType } from '../values/type-oids.ts';

/** A statement that a client has parsed once and runs as often as it likes. */
export interface PreparedStatement {
  /** Undefined: the text held none. */
  readonly parsed: ParsedStatement | undefined;
  /** The types that the client gave its parameters, as OIDs; 0 and missing ones are left to the server. */
  readonly parameterOids: readonly number[];
  /** By position, where they are not given as OIDs. */
  readonly parameterTypes: readonly (SqlType | undefined)[];
  readonly parameterCount: number;
  /** The text of the PREPARE that made it; undefined: a Parse message did. */
  readonly sqlText: string | undefined;
  readonly preparedAt: Date;
  /** How often it was started. */
  executions: number;
  /** What it asks for and gives; known once it was asked for. */
  description: Promise<StatementDescription> | undefined;
  /** What the latest description found. */
  described: StatementDescription | undefined;
}

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
    parameterCount: parsed === undefined ? 0 : countParameters(parsed.text),
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
  // Its description must not be waited for: it may be the one that asks.
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

/** The highest `$n` in a text. */
function countParameters(text: string): number {
  if (!text.includes('$')) return 0;
  const positions = new TokenCursor(text).tokens
    .filter((token) => isParameter(token))
    .map(({ image }) => Number(image.slice(1)))
    .filter(Number.isInteger);
  return Math.max(0, ...positions);
}

/** The prepared statements of a connection by name, those of the protocol and of PREPARE alike; `''` is the unnamed one. */
export class PreparedStatements {
  readonly #statements = new Map<string, PreparedStatement>();

  /** @throws TesseraError DUPLICATE_PREPARED_STATEMENT; the unnamed one is replaced */
  add(name: string, statement: PreparedStatement): void {
    this.checkFree(name);
    this.#statements.set(name, statement);
  }

  /** @throws TesseraError DUPLICATE_PREPARED_STATEMENT */
  checkFree(name: string): void {
    if (name === '' || !this.#statements.has(name)) return;
    throw TesseraError.of('DUPLICATE_PREPARED_STATEMENT', { name });
  }

  /** What `pg_prepared_statements` shows: those that have a name. */
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
