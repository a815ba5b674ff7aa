import { fail } from '@tessera/common';
import type { SqlText, TokenCursor } from '../../text/token-cursor.ts';
import type { CreateStatement, SkipFilterOptions } from '../catalog-statement.ts';
import { expressionText } from './expression-text.ts';
import { ifNotExists, objectName } from './names.ts';
import { choiceOption, parenthesisedOptions, type ReadOptionList, wholeNumber } from './option-list.ts';
import { unsupported } from './unsupported.ts';

/** `CREATE AGGREGATING INDEX [IF NOT EXISTS] i ON t (key, …, aggregate, …)`, from the name on. */
export function createAggregatingIndex(cursor: TokenCursor): CreateStatement {
  const head = indexHead(cursor);
  const expressions = bracketedExpressions(cursor);
  cursor.expectEnd();
  return { kind: 'create_aggregating_index', ...head, expressions };
}

/**
 * `CREATE INDEX [IF NOT EXISTS] i ON t USING SKIP_INDEX(e, …) [WITH (TYPE = bloom_filter, …)]`, from the name on. The type
 * can be written instead of SKIP_INDEX: `USING BLOOM_FILTER(e, …)`.
 */
export function createSkipIndex(cursor: TokenCursor): CreateStatement {
  if (cursor.isAt('CONCURRENTLY') || cursor.isAt('ON')) secondaryIndex(cursor);
  const head = indexHead(cursor);
  if (!cursor.accept('USING')) secondaryIndex(cursor);
  const written = TYPES.find((type) => cursor.accept(type));
  if (written === undefined && !cursor.accept('SKIP_INDEX')) secondaryIndex(cursor);
  const expressions = bracketedExpressions(cursor);
  const list = cursor.accept('WITH') ? parenthesisedOptions(cursor, OPTIONS) : undefined;
  cursor.expectEnd();
  const given = list && choiceOption(list, 'type', TYPES);
  if (written !== undefined && given !== undefined && written !== given) {
    const message = `TYPE is ${given}, but the index is created USING ${written}`;
    fail('INVALID_ARGUMENT', { message }, { location: list?.locations.type });
  }
  const filter = filterOf(written ?? given ?? 'MINMAX', list);
  return { kind: 'create_skip_index', ...head, expressions, filter };
}

const TYPES = ['MINMAX', 'BLOOM_FILTER', 'SET'] as const;
const OPTIONS = { of: 'CREATE INDEX', values: ['type', 'false_positive_rate', 'max_values'] };

const DEFAULT_FALSE_POSITIVES = '0.01';
const DEFAULT_VALUES = 256;
const MOST_VALUES = 10_000;

function filterOf(
  type: (typeof TYPES)[number],
  list: ReadOptionList | undefined,
): SkipFilterOptions | undefined {
  for (const [option, of] of [
    ['false_positive_rate', 'BLOOM_FILTER'],
    ['max_values', 'SET'],
  ] as const) {
    if (of === type || list?.values[option] === undefined) continue;
    const message = `${option.toUpperCase()} is an option of the type ${of}, not of ${type}`;
    fail('INVALID_ARGUMENT', { message }, { location: list.locations[option] });
  }
  if (type === 'BLOOM_FILTER') return { kind: 'bloom_filter', falsePositiveRate: falsePositives(list) };
  if (type === 'MINMAX') return undefined;
  const maxValues = (list && wholeNumber(list, 'max_values', 1)) ?? DEFAULT_VALUES;
  if (maxValues <= MOST_VALUES) return { kind: 'set', maxValues };
  const message = `MAX_VALUES takes an integer from 1 to ${MOST_VALUES}, not ${maxValues}`;
  return fail('INVALID_ARGUMENT', { message }, { location: list?.locations.max_values });
}

function falsePositives(list: ReadOptionList | undefined): string {
  const text = list?.values.false_positive_rate ?? DEFAULT_FALSE_POSITIVES;
  const rate = Number(text);
  if (rate >= 0.0001 && rate <= 0.5) return String(rate);
  const message = `FALSE_POSITIVE_RATE takes a number from 0.0001 to 0.5, not ${text}`;
  return fail('INVALID_ARGUMENT', { message }, { location: list?.locations.false_positive_rate });
}

/** Refuses the indexes of row stores, including CREATE UNIQUE INDEX. */
export const secondaryIndex = (cursor: TokenCursor): never =>
  unsupported(
    cursor,
    'A secondary index',
    'rows are found by the PRIMARY INDEX of the table; CREATE INDEX … USING BLOOM_FILTER (column) or USING SET (column) lets queries skip granules without a value, and CREATE AGGREGATING INDEX declares aggregates',
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
