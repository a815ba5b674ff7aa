import type { SqlText, TokenCursor } from '../../text/token-cursor.ts';
import type { CreateStatement } from '../catalog-statement.ts';
import { expressionText } from './expression-text.ts';
import { ifNotExists, objectName } from './names.ts';
import { choiceOption, parenthesisedOptions } from './option-list.ts';
import { unsupported } from './unsupported.ts';

/** `CREATE AGGREGATING INDEX [IF NOT EXISTS] i ON t (key, …, aggregate, …)`, from the name on. */
export function createAggregatingIndex(cursor: TokenCursor): CreateStatement {
  const head = indexHead(cursor);
  const expressions = bracketedExpressions(cursor);
  cursor.expectEnd();
  return { kind: 'create_aggregating_index', ...head, expressions };
}

/** `CREATE INDEX [IF NOT EXISTS] i ON t USING SKIP_INDEX(e, …) [WITH (TYPE = minmax)]`, from the name on. */
export function createSkipIndex(cursor: TokenCursor): CreateStatement {
  if (cursor.isAt('CONCURRENTLY') || cursor.isAt('ON')) secondaryIndex(cursor);
  const head = indexHead(cursor);
  if (!cursor.accept('USING', 'SKIP_INDEX')) secondaryIndex(cursor);
  const expressions = bracketedExpressions(cursor);
  const names = { of: 'CREATE INDEX', values: ['type'] };
  const list = cursor.accept('WITH') ? parenthesisedOptions(cursor, names) : undefined;
  if (list !== undefined) choiceOption(list, 'type', ['MINMAX']);
  cursor.expectEnd();
  return { kind: 'create_skip_index', ...head, expressions, options: { type: 'minmax' } };
}

/** Refuses the indexes of row stores, including CREATE UNIQUE INDEX. */
export const secondaryIndex = (cursor: TokenCursor): never =>
  unsupported(
    cursor,
    'A secondary index',
    'rows are found by the PRIMARY INDEX of the table, and CREATE AGGREGATING INDEX declares aggregates; CREATE INDEX takes USING SKIP_INDEX (…) alone',
  );

function indexHead(cursor: TokenCursor) {
  const quiet = ifNotExists(cursor);
  const name = objectName(cursor, 'the name of an index');
  cursor.expectWord('ON');
  return { name, ifNotExists: quiet, table: objectName(cursor, 'the name of a table') };
}

function bracketedExpressions(cursor: TokenCursor): readonly SqlText[] {
  const expressions: SqlText[] = [];
  cursor.expectSymbol('(');
  do expressions.push(expressionText(cursor, 'an expression'));
  while (cursor.acceptSymbol(','));
  cursor.expectSymbol(')');
  return expressions;
}
