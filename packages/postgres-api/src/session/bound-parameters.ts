import { TesseraError } from '@tessera/common';
import { type QueryParameter, type SqlType, valueFormat } from '@tessera/sql';
import type { BindMessage } from '../protocol/frontend-message.ts';
import { queryParameter } from '../values/parameters.ts';
import { wireType } from '../values/type-oids.ts';
import { describePrepared } from './describe-prepared.ts';
import type { PreparedStatement } from './prepared-statement.ts';
import type { SessionState } from './session-state.ts';

/**
 * The parameters of a Bind message in the engine's form.
 * @throws TesseraError PROTOCOL_VIOLATION for a wrong number of parameters, CAST_ERROR
 */
export async function boundParameters(
  state: SessionState,
  statement: PreparedStatement,
  { parameters, parameterFormats }: BindMessage,
): Promise<readonly QueryParameter[]> {
  const expected = Math.max(statement.parameterCount, statement.parameterOids.length);
  if (parameters.length !== expected) {
    const message = `Bind message supplies ${parameters.length} parameters, but the prepared statement requires ${expected}`;
    throw TesseraError.of('PROTOCOL_VIOLATION', { message });
  }
  if (expected === 0) return [];
  const types = await describedTypes(state, statement);
  return parameters.map((bytes, i) => {
    const type = statement.parameterTypes[i] ?? types.get(`$${i + 1}`);
    const oid = statement.parameterOids[i] || (type === undefined ? 0 : wireType(type).oid);
    const given = statement.parameterOids[i] ? undefined : type;
    return queryParameter(i + 1, { oid, format: valueFormat(parameterFormats, i), bytes }, given);
  });
}

/**
 * The parameter types by name. If the client did not declare all of them, the engine describes the statement;
 * it caches the answer.
 */
async function describedTypes(
  state: SessionState,
  statement: PreparedStatement,
): Promise<ReadonlyMap<string, SqlType>> {
  const isNeeded = Array.from({ length: statement.parameterCount }, (_, i) => i).some(
    (i) => !statement.parameterOids[i] && statement.parameterTypes[i] === undefined,
  );
  if (!isNeeded) return new Map();
  const { parameters } = await describePrepared(state, statement);
  return new Map(parameters.map(({ name, type }) => [name, type]));
}
