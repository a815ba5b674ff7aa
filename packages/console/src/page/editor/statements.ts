import type { Statement } from '../state/outcome.ts';
import { dialect } from './dialect.ts';

/** The statements of a text, without the semicolons that end them. `from` counts from the beginning of the text. */
export function statementsIn(text: string, offset = 0): Statement[] {
  const found: Statement[] = [];
  dialect.language.parser.parse(text).iterate({
    enter: ({ name, from, to }) => {
      if (name !== 'Statement') return name === 'Script';
      const sql = text.slice(from, to).replace(/;\s*$/, '').trimEnd();
      if (sql !== '') found.push({ sql, from: offset + from });
      return false;
    },
  });
  return found;
}

/**
 * Returns the statements that a run at the cursor executes: those in the selection, otherwise the one that the cursor
 * is in or after. Before all statements it is the first one.
 */
export function statementsAt(text: string, from: number, to: number): Statement[] {
  if (from !== to) return statementsIn(text.slice(from, to), from);
  const all = statementsIn(text);
  const at = all.findLast((statement) => statement.from <= from) ?? all[0];
  return at === undefined ? [] : [at];
}

/** Adds the places of statements of a text, for messages. */
export const withPlaces = (text: string, statements: readonly Statement[]): readonly Statement[] =>
  statements.map((statement) => {
    const before = text.slice(0, statement.from).split('\n');
    return { ...statement, place: { lines: before.length - 1, characters: [...before.at(-1)!].length } };
  });
