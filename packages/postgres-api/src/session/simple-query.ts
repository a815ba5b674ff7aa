import { statementTexts } from '@tessera/coordinator';
import { commandComplete, EMPTY_QUERY, rowDescription } from '../protocol/backend-message.ts';
import { type ParsedStatement, parseStatement } from '../statements/parsed-statement.ts';
import { rowFields } from '../values/row-description.ts';
import type { Outcome } from './outcome.ts';
import type { SessionState } from './session-state.ts';

/**
 * Answers a Query message, except for the final ReadyForQuery. It runs the statements of the text up to the
 * first that fails. In that case none of them has an effect, unless they end their transactions themselves.
 * @throws TesseraError the error of the statement that failed
 */
export async function simpleQuery(state: SessionState, sql: string): Promise<void> {
  const { stream, portals, statements, parameters } = state;
  await portals.close('');
  statements.remove('');
  const parsed: ParsedStatement[] = [];
  for (const text of await statementTexts(sql, parameters.settings)) {
    parsed.push(parseStatement(sql, text));
    await stream.letOthersRun();
  }
  if (parsed.length === 0) stream.write(EMPTY_QUERY);
  for (const [i, statement] of parsed.entries()) {
    await stream.letOthersRun();
    const moreMayFollow = i < parsed.length - 1;
    const outcome = await state.start(statement, { parameters: [], formats: [], moreMayFollow });
    stream.write(commandComplete(await tell(state, outcome)));
  }
}

async function tell({ stream }: SessionState, outcome: Outcome): Promise<string> {
  switch (outcome.kind) {
    case 'done':
      return outcome.tag;
    case 'dialogue':
      return outcome.run();
    case 'rows': {
      const { rows, tag } = outcome;
      try {
        stream.write(rowDescription(rowFields(rows.columns, rows.formats)));
        const sent = await rows.send(stream, Number.POSITIVE_INFINITY);
        return tag(sent.rows);
      } finally {
        await rows.close();
      }
    }
  }
}
