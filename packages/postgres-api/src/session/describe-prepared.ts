import type { StatementDescription } from '@tessera/coordinator';
import type { OutputColumn, QueryParameter } from '@tessera/sql';
import type { SessionCommand } from '../commands/session-command.ts';
import { SHOW_ALL_COLUMNS } from '../parameters/session-parameters.ts';
import { inWholeText, type ParsedStatement } from '../statements/parsed-statement.ts';
import { parameterType } from '../values/type-oids.ts';
import type { PreparedStatement } from './prepared-statement.ts';
import type { SessionState } from './session-state.ts';

const NOTHING: StatementDescription = { parameters: [], columns: undefined };

/**
 * The parameter types and result columns of a prepared statement; the engine is asked once.
 * @throws TesseraError if the statement is invalid
 */
export async function describePrepared(
  state: SessionState,
  statement: PreparedStatement,
): Promise<StatementDescription> {
  const { parsed } = statement;
  if (parsed === undefined) return NOTHING;
  if (parsed.work.by === 'session') return describeCommand(state, parsed.work.command);
  statement.description ??= inEngine(state, parsed, statement);
  try {
    statement.described = await statement.description;
    return statement.described;
  } catch (error) {
    statement.description = undefined;
    throw error;
  }
}

async function inEngine(
  { engine }: SessionState,
  parsed: ParsedStatement,
  { parameterOids, parameterTypes }: PreparedStatement,
): Promise<StatementDescription> {
  const count = Math.max(parameterOids.length, parameterTypes.length);
  const typed = Array.from({ length: count }, (_, i): QueryParameter => {
    const type = parameterTypes[i] ?? parameterType(parameterOids[i] ?? 0);
    return { name: `$${i + 1}`, value: null, type };
  });
  try {
    return await engine.describe(
      parsed.text,
      typed.filter(({ type }) => type !== undefined),
    );
  } catch (error) {
    throw inWholeText(error, parsed.whole, parsed);
  }
}

async function describeCommand(state: SessionState, command: SessionCommand): Promise<StatementDescription> {
  switch (command.kind) {
    case 'show':
      return textColumns(command.name === undefined ? SHOW_ALL_COLUMNS : [command.name]);
    case 'set_config':
      return textColumns(['set_config']);
    case 'current_setting':
      return textColumns([command.column]);
    case 'fetch': {
      if (command.moves) return NOTHING;
      const { columns } = await describePrepared(state, state.portals.get(command.name).statement);
      return { parameters: [], columns };
    }
    case 'execute': {
      const { columns } = await describePrepared(state, state.statements.get(command.name));
      return { parameters: [], columns };
    }
    default:
      return NOTHING;
  }
}

const textColumns = (names: readonly string[]): StatementDescription => ({
  parameters: [],
  columns: names.map((name): OutputColumn => ({ name, type: { kind: 'text' }, nullable: false })),
});
