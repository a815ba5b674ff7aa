import type { TokenCursor } from '@tessera/sql';

export function finished<T>(cursor: TokenCursor, command: T): T {
  cursor.expectEnd();
  return command;
}

/** The name of a parameter. Names with dots are custom parameters of clients. */
export function parameterName(cursor: TokenCursor): string {
  let name = cursor.expectName('the name of a parameter');
  while (cursor.acceptSymbol('.')) name += `.${cursor.expectName('the name of a parameter')}`;
  return name;
}
