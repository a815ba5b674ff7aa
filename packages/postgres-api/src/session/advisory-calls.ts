import { fail } from '@tessera/common';
import { type QueryParameter, TokenCursor } from '@tessera/sql';
import type { LockMode } from './advisory-locks.ts';

export interface AdvisoryCall {
  readonly action: 'lock' | 'try' | 'unlock' | 'unlock all';
  readonly mode: LockMode;
  /** Whether the lock is released at the end of the transaction. */
  readonly isOfTransaction: boolean;
  /** Undefined if an argument is NULL: the call then does nothing and returns NULL. */
  readonly key: string | undefined;
  /** The range of the arguments in the text, without the parentheses. */
  readonly start: number;
  readonly end: number;
}

const NAME = /^pg_(try_)?advisory_(xact_)?(lock|unlock|unlock_all)(_shared)?$/i;

export const mentionsAdvisoryLocks = (text: string): boolean => /advisory_(?:xact_)?(?:un)?lock/i.test(text);

/**
 * The calls of advisory lock functions in a statement, in the order of its text.
 * @throws TesseraError NOT_SUPPORTED if an argument is neither a number nor a parameter
 */
export function advisoryCalls(text: string, parameters: readonly QueryParameter[]): readonly AdvisoryCall[] {
  const cursor = new TokenCursor(text);
  const calls: AdvisoryCall[] = [];
  while (cursor.peek() !== undefined) {
    const token = cursor.next()!;
    const [, tries, ofTransaction, verb, shared] = NAME.exec(token.image) ?? [];
    if (verb === undefined || !cursor.acceptSymbol('(')) continue;
    const start = cursor.previous!.startOffset + 1;
    const keys: (bigint | undefined)[] = [];
    while (!cursor.isAtSymbol(')')) {
      keys.push(lockNumber(cursor, parameters));
      if (!cursor.acceptSymbol(',')) break;
    }
    const closing = cursor.peek();
    if (!cursor.acceptSymbol(')')) refuseExpression();
    const what = verb.toLowerCase();
    calls.push({
      action:
        what === 'unlock_all'
          ? 'unlock all'
          : what === 'unlock'
            ? 'unlock'
            : tries === undefined
              ? 'lock'
              : 'try',
      mode: shared === undefined ? 'exclusive' : 'shared',
      isOfTransaction: ofTransaction !== undefined,
      key: keys.includes(undefined) ? undefined : keys.join('/'),
      start,
      end: closing!.startOffset,
    });
  }
  return calls;
}

function lockNumber(cursor: TokenCursor, parameters: readonly QueryParameter[]): bigint | undefined {
  const sign = cursor.acceptSymbol('-') ? -1n : 1n;
  const token = cursor.next();
  const value = token && textOfValue(token.image, parameters);
  while (cursor.acceptSymbol('::')) cursor.expectName('a type');
  if (value === null) return undefined;
  if (value !== undefined && /^-?\d+$/.test(value)) return sign * BigInt(value);
  return refuseExpression();
}

function refuseExpression(): never {
  const hint = 'Write the number of the lock, or give it as a parameter.';
  return fail('NOT_SUPPORTED', { what: 'An advisory lock whose number is an expression', hint });
}

/** The text of a number, string or parameter; null for NULL. */
function textOfValue(image: string, parameters: readonly QueryParameter[]): string | null | undefined {
  if (/^null$/i.test(image)) return null;
  const parameter = image.startsWith('$') ? parameters.find(({ name }) => name === image) : undefined;
  if (parameter !== undefined) return parameter.value === null ? null : String(parameter.value);
  return /^'.*'$/.test(image) ? image.slice(1, -1) : image;
}
