import type { TokenCursor } from '../../text/token-cursor.ts';
import type { VacuumStatement } from '../catalog-statement.ts';
import { objectName } from './names.ts';
import { booleanOption, parenthesisedOptions, wholeNumber } from './option-list.ts';

/** `VACUUM [(INDEXES = TRUE | FALSE, MAX_CONCURRENCY = n)] t` */
export function vacuumStatement(cursor: TokenCursor): VacuumStatement {
  cursor.expectWord('VACUUM');
  const names = { of: 'VACUUM', values: ['indexes', 'max_concurrency'] };
  const list = cursor.isAtSymbol('(') ? parenthesisedOptions(cursor, names) : undefined;
  if (list !== undefined) {
    booleanOption(list, 'indexes');
    wholeNumber(list, 'max_concurrency', 1);
  }
  const table = objectName(cursor, 'the name of a table');
  cursor.expectEnd();
  return { kind: 'vacuum', table, options: list?.values ?? {} };
}
