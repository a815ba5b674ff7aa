import { type SqlLocation, TesseraError } from '@tessera/common';
import { type BindingSession, quoteText, REFUSED_END, REFUSED_RANGE } from '@tessera/kernel';
import { type TextShape, textShape } from '../text/text-shape.ts';
import { isTimeType, kernelTime } from '../text/time-text.ts';
import {
  type CastNode,
  type ConstantNode,
  type Expression,
  type Statement,
  someExpression,
  stringLiteral,
} from '../tree.ts';
import { TEXT_READERS } from '../types/checked-cast.ts';
import { kindsFrom } from './column-facts.ts';
import type { CatalogColumns, FactsOf } from './column-scope.ts';
import { operandsOf } from './operands.ts';
import { rewriteInScope } from './scoped-expressions.ts';
import { type ValueKind, valueKind } from './value-kind.ts';

/** A text literal that stands where a type is required, and may be no value of it. */
interface DoubtfulLiteral {
  readonly literal: ConstantNode;
  readonly type: string;
}

const DIGITS: readonly TextShape[] = ['four digits', 'nine digits', 'eighteen digits'];
const NUMBERS: readonly TextShape[] = [...DIGITS, 'number'];

/** The shapes of the texts that are certainly values of a type of the kernel. Texts for other types are not checked. */
const VALID: Readonly<Record<string, readonly TextShape[]>> = {
  SMALLINT: DIGITS.slice(0, 1),
  INTEGER: DIGITS.slice(0, 2),
  BIGINT: DIGITS,
  DECIMAL: NUMBERS,
  FLOAT: NUMBERS,
  DOUBLE: NUMBERS,
  BOOLEAN: ['boolean'],
  DATE: ['date', 'timestamp'],
  TIMESTAMP: ['date', 'timestamp'],
  'TIMESTAMP WITH TIME ZONE': ['date', 'timestamp'],
};

/** The type that is checked where only the kind of an operand is known. Every number is one of some type. */
const OF_KIND: Readonly<Partial<Record<ValueKind, string>>> = {
  number: 'DECIMAL',
  float: 'DOUBLE',
  boolean: 'BOOLEAN',
  date: 'DATE',
  timestamp: 'TIMESTAMP',
};

/**
 * Refuses text literals that are no values of the types that they stand for, as PostgreSQL does before it reads a row:
 *     SELECT * FROM t WHERE i = 'abc'
 *     SELECT coalesce(d, 'abc') FROM t
 * The kernel would convert them when it meets the first row, and would round `'1.5'` to an integer. A literal is checked by
 * its shape, or else the kernel is asked to convert it.
 * @throws TesseraError CAST_ERROR and others, with the place of the literal
 */
export async function checkLiterals(
  statement: Statement,
  catalog: CatalogColumns,
  outermost: FactsOf,
  session: BindingSession,
  placeOf: (literal: Expression) => SqlLocation | undefined,
): Promise<void> {
  if (!someExpression(statement, (node) => isCastLiteral(node) || operandsOf(node).some(isTextLiteral)))
    return;
  const doubtful: DoubtfulLiteral[] = [];
  rewriteInScope(statement, catalog, outermost, (node, factsOf) => {
    const found = isCastLiteral(node)
      ? doubtfulAs(node.cast_type.id, [node.child])
      : doubtfulIn(operandsOf(node), factsOf);
    doubtful.push(...found);
    return node;
  });
  for (const { literal, type } of doubtful) {
    await session
      .scalar(`SELECT CAST(${conversion(stringLiteral(literal)!, type)} AS VARCHAR)`)
      .catch((error: unknown) => {
        throw error instanceof TesseraError ? error.with({ location: placeOf(literal) }) : error;
      });
  }
}

const isTextLiteral = (node: Expression): node is ConstantNode =>
  node.class === 'CONSTANT' && stringLiteral(node) !== undefined;

const isCastLiteral = (node: Expression): node is CastNode & { readonly child: ConstantNode } =>
  node.class === 'CAST' && !node.try_cast && node.cast_type.id !== 'DECIMAL' && isTextLiteral(node.child);

const isNull = (node: Expression): boolean => node.class === 'CONSTANT' && node.value.is_null;

function doubtfulIn(operands: readonly Expression[], factsOf: FactsOf): readonly DoubtfulLiteral[] {
  const literals = operands.filter(isTextLiteral);
  if (literals.length === 0) return [];
  const others = operands.filter((operand) => !isTextLiteral(operand) && !isNull(operand));
  const types = others.map((operand) => typeOf(operand, factsOf));
  const [type] = types;
  return type === undefined || types.includes(undefined) ? [] : doubtfulAs(type, literals);
}

/** Words for the current time, which depend on when the statement runs. */
const CLOCK_WORD = /^\s*(?:now|today|tomorrow|yesterday)\s*$/i;

function doubtfulAs(type: string, literals: readonly ConstantNode[]): readonly DoubtfulLiteral[] {
  const valid = VALID[type.replace(/\(.*/, '')];
  if (valid === undefined) return [];
  return literals
    .filter((literal) => {
      const text = stringLiteral(literal)!;
      return !valid.includes(textShape(text)) && !(isTimeType(type) && CLOCK_WORD.test(text));
    })
    .map((literal) => ({ literal, type }));
}

function typeOf(operand: Expression, factsOf: FactsOf): string | undefined {
  const known =
    operand.class === 'COLUMN_REF'
      ? factsOf(operand)?.type
      : operand.class === 'CONSTANT'
        ? operand.value.type.id
        : undefined;
  return known ?? OF_KIND[valueKind(operand, kindsFrom(factsOf))];
}

/** The kernel's conversion of a text. The width of a NUMERIC does not limit the values to compare with. */
function conversion(text: string, type: string): string {
  // The text of a cast was read before.
  const isRead = !isTimeType(type) || text.startsWith(REFUSED_END) || text.startsWith(REFUSED_RANGE);
  const quoted = quoteText(isRead ? text : kernelTime(text, type));
  const reader = TEXT_READERS[type];
  const read = reader === undefined || isTimeType(type) ? quoted : `${reader}(${quoted})`;
  return `CAST(${read} AS ${type.startsWith('DECIMAL') ? 'DECIMAL(38, 9)' : type})`;
}
