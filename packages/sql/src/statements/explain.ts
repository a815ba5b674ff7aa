import type { TokenCursor } from '../text/token-cursor.ts';
import { cutSettingsSuffix } from './settings-suffix.ts';
import type { ExplainPart, ExplainStatement } from './statement.ts';

/** `EXPLAIN [(LOGICAL|PHYSICAL|ANALYZE|ALL|STATISTICS, FORMAT TEXT|JSON)] query`; `EXPLAIN ANALYZE query` too. */
export function explainStatement(cursor: TokenCursor): ExplainStatement {
  cursor.expectWord('EXPLAIN');
  let part: ExplainPart = 'physical';
  let format: 'text' | 'json' = 'text';
  if (cursor.accept('ANALYZE')) part = 'analyze';
  else if (cursor.peek()?.image === '(' && isOption(cursor)) {
    cursor.expectSymbol('(');
    do {
      if (cursor.accept('FORMAT')) format = readFormat(cursor);
      else part = readPart(cursor);
    } while (cursor.acceptSymbol(','));
    cursor.expectSymbol(')');
  }
  const first = cursor.peek() ?? cursor.unexpected('a query');
  if (!/^(?:\(|select|with|values|from|table)$/i.test(first.image)) cursor.unexpected('a query');
  return {
    kind: 'explain',
    ...cutSettingsSuffix(cursor.text.slice(first.startOffset)),
    offset: first.startOffset,
    part,
    format,
  };
}

const PARTS: readonly ExplainPart[] = ['logical', 'physical', 'analyze', 'statistics', 'all'];

function isOption(cursor: TokenCursor): boolean {
  const word = cursor.peek(1)?.image.toLowerCase();
  return word === 'format' || PARTS.some((part) => part === word);
}

function readPart(cursor: TokenCursor): ExplainPart {
  const part = PARTS.find((p) => cursor.accept(p.toUpperCase()));
  return part ?? cursor.unexpected('LOGICAL, PHYSICAL, ANALYZE, STATISTICS, ALL or FORMAT');
}

function readFormat(cursor: TokenCursor): 'text' | 'json' {
  if (cursor.accept('TEXT')) return 'text';
  if (cursor.accept('JSON')) return 'json';
  return cursor.unexpected('TEXT or JSON');
}
