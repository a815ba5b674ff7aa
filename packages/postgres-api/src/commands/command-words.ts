import type { TokenCursor } from '@tessera/sql';

export function finished<T>(cursor: TokenCursor, command: T): T {
  cursor.expectEnd();
  return command;
}

/** With dots: names of parameters that clients made up. */
export function parameterName(cursor: TokenCursor): string {
  let name = cursor.expectName('the name of a parameter');
  while (cursor.acceptSymbol('.')) name += `.${cursor.expectName('the name of a parameter')}`;
  return name;
}
