import { TesseraError } from '@tessera/common';
import type { StatementDescription } from '@tessera/coordinator';
import { isParameter, type SqlType, TokenCursor } from '@tessera/sql';
import type { ParsedStatement } from '../statements/parsed-statement.ts';

/** A statement that a client has parsed once and runs as often as it likes. */
export interface PreparedStatement {
  /** Undefined: the text held none. */
  readonly parsed: ParsedStatement | undefined;
  /** The types that the client gave its parameters, as OIDs; 0 and missing ones are left to the server. */
  readonly parameterOids: readonly number[];
  /** By position, where they are not given as OIDs. */
  readonly parameterTypes: readonly (SqlType | undefined)[];
  readonly parameterCount: number;
  /** What it asks for and gives; known once it was asked for. */
  description: Promise<StatementDescription> | undefined;
}

export function preparedStatement(
  parsed: ParsedStatement | undefined,
  given: {
    readonly oids?: readonly number[];
    readonly types?: readonly (SqlType | undefined)[];
  } = {},
): PreparedStatement {
  return {
    parsed,
    parameterOids: given.oids ?? [],
    parameterTypes: given.types ?? [],
    parameterCount: parsed === undefined ? 0 : countParameters(parsed.text),
    description: undefined,
  };
}

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
    if (name !== '' && this.#statements.has(name)) {
      throw TesseraError.of('DUPLICATE_PREPARED_STATEMENT', { name });
    }
    this.#statements.set(name, statement);
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
