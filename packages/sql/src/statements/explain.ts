import type { TokenCursor } from '../text/token-cursor.ts';
import { cutSettingsSuffix } from './settings-suffix.ts';
import type {
  ExplainableChange,
  ExplainPart,
  ExplainStatement,
  Statement,
  UnsupportedStatement,
} from './statement.ts';

/**
 * `EXPLAIN [(LOGICAL|PHYSICAL|ANALYZE|ALL|STATISTICS, FORMAT TEXT|JSON)] statement`; `EXPLAIN ANALYZE statement` too.
 * @param classify classifies the statement that is explained, at its place in the whole text
 */
export function explainStatement(
  cursor: TokenCursor,
  classify: (text: string) => Statement,
): ExplainStatement | UnsupportedStatement {
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
  const { text } = cursor;
  const { startOffset: offset } = first;
  const explained = {
    kind: 'explain',
    ...cutSettingsSuffix(text.slice(offset)),
    offset,
    part,
    format,
  } as const;
  if (/^(?:\(|select|values|from|table)$/i.test(first.image)) return explained;
  if (!/^(?:with|insert|update|delete|merge|create)$/i.test(first.image)) cursor.unexpected('a query');
  const statement = classify(text.slice(0, offset).replace(/[^\n]/g, ' ') + text.slice(offset));
  if (statement.kind === 'query') return explained;
  if (statement.kind === 'with_changes') return { kind: 'unsupported', name: 'EXPLAIN of changes in WITH' };
  return isExplainable(statement) ? { ...explained, change: statement } : cursor.unexpected('a query');
}

const EXPLAINABLE: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'merge', 'create_table_as']);

const isExplainable = (statement: Statement): statement is ExplainableChange =>
  EXPLAINABLE.has(statement.kind);

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
