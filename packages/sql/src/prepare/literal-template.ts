import type { IToken } from 'chevrotain';
import { tokenize } from '../text/lexer.ts';

/** SQL that was made for a statement with these literals. */
export interface LiteralSample {
  readonly sql: string;
  readonly literals: readonly string[];
}

/** SQL with places for literals. */
export interface LiteralTemplate {
  /** The SQL between the places: one more than there are places. */
  readonly pieces: readonly string[];
  /** The numbers of the literals that may stand in each place; they were equal in both samples. */
  readonly places: readonly (readonly number[])[];
  /** The literals that had one value in both samples; other values may mean another SQL. */
  readonly fixed: ReadonlyMap<number, string>;
}

/**
 * Compares what two statements became that differ in literals only. If the SQL differs only in tokens that are these
 * literals, as they are written, then other values of the same class take the same places. Undefined if something
 * else differs, or if a literal that differs does not occur in the SQL.
 */
export function literalTemplate(a: LiteralSample, b: LiteralSample): LiteralTemplate | undefined {
  const [left, right] = [tokenize(a.sql), tokenize(b.sql)];
  if (left.length !== right.length || a.literals.length !== b.literals.length) return undefined;
  const pieces: string[] = [];
  const places: (readonly number[])[] = [];
  let [leftEnd, rightEnd, pieceStart] = [0, 0, 0];
  for (const [i, token] of right.entries()) {
    const other = left[i]!;
    if (a.sql.slice(leftEnd, other.startOffset) !== b.sql.slice(rightEnd, token.startOffset))
      return undefined;
    leftEnd = endOf(other);
    rightEnd = endOf(token);
    if (other.image === token.image) continue;
    const numbers = b.literals.flatMap((literal, n) =>
      literal === token.image && a.literals[n] === other.image ? [n] : [],
    );
    if (numbers.length === 0) return undefined;
    pieces.push(b.sql.slice(pieceStart, token.startOffset));
    places.push(numbers);
    pieceStart = rightEnd;
  }
  if (a.sql.slice(leftEnd) !== b.sql.slice(rightEnd)) return undefined;
  pieces.push(b.sql.slice(pieceStart));
  const placed = new Set(places.flat());
  const fixed = new Map<number, string>();
  for (const [n, literal] of b.literals.entries()) {
    if (a.literals[n] === literal) fixed.set(n, literal);
    else if (!placed.has(n)) return undefined;
  }
  return { pieces, places, fixed };
}

const endOf = ({ startOffset, image }: IToken): number => startOffset + image.length;

/** The SQL for other literals; undefined if the template cannot express it. */
export function filledTemplate(
  { pieces, places, fixed }: LiteralTemplate,
  literals: readonly string[],
): string | undefined {
  for (const [n, literal] of fixed) if (literals[n] !== literal) return undefined;
  let sql = pieces[0]!;
  for (const [i, numbers] of places.entries()) {
    const literal = literals[numbers[0]!]!;
    if (numbers.some((n) => literals[n] !== literal)) return undefined;
    sql += literal + pieces[i + 1]!;
  }
  return sql;
}

const NAME = String.raw`(?:"(?:[^"]|"")+"|[\w$]+)`;
const LITERAL = String.raw`(?:'(?:[^']|'')*'|\d+)`;
/** `(a =`, `(t.a BETWEEN`, `(a BETWEEN 5 AND`, `(a IN (1, 2,`: the SQL before an operand, as the kernel writes it. */
const COMPARED = new RegExp(
  String.raw`\((?:${NAME}\.)*(${NAME}) (?:=|<>|!=|<=?|>=?|BETWEEN|BETWEEN ${LITERAL} AND|(?:NOT )?IN \((?:${LITERAL}, )*) ?$`,
);

/**
 * The columns, in lower case, that the SQL compares with the literals in its places, by the numbers of the literals. Undefined if
 * one occurs in several places, or is compared with anything else than the column alone.
 * @param literals those of any statement that the template is for
 */
export function comparedColumns(
  { pieces, places }: LiteralTemplate,
  literals: readonly string[],
): ReadonlyMap<number, string> | undefined {
  const columns = new Map<number, string>();
  let sql = '';
  for (const [i, [number, ...others]] of places.entries()) {
    sql += pieces[i]!;
    const name = COMPARED.exec(sql)?.[1];
    if (number === undefined || others.length > 0 || columns.has(number) || name === undefined)
      return undefined;
    columns.set(
      number,
      name
        .replace(/^"(.*)"$/s, '$1')
        .replaceAll('""', '"')
        .toLowerCase(),
    );
    sql += literals[number]!;
  }
  return columns;
}
