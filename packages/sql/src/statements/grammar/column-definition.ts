import { fail } from '@tessera/common';
import { isWord } from '../../text/lexer.ts';
import type { SqlText, TokenCursor } from '../../text/token-cursor.ts';
import { parseDeclaredType } from '../../types/declared-type.ts';
import type { ColumnDefinition, ConstraintDefinition, Identity } from '../catalog-statement.ts';
import { columnCollation } from './column-collation.ts';
import {
  COLUMN_CONSTRAINTS,
  columnConstraint,
  constraintName,
  isAtTableConstraint,
  tableConstraint,
} from './constraint.ts';
import { expressionText } from './expression-text.ts';
import { placedName } from './names.ts';
import { identityClause, serialType } from './sequence.ts';
import { unsupported } from './unsupported.ts';

/** Column clauses of other systems that the engine does not support. */
const UNSUPPORTED = ['GENERATED', 'COMMENT', 'PARTITION'];

/** The words that may follow a default and therefore end it. */
const AFTER_DEFAULT = [
  ['NOT', 'NULL'],
  ['NULL'],
  ['DEFAULT'],
  ...[...COLUMN_CONSTRAINTS, ...UNSUPPORTED, 'COLLATE'].map((word) => [word]),
  ['CASCADE'],
];

/** A column as written, with the constraints after its type. */
export interface ColumnWithConstraints {
  readonly column: ColumnDefinition;
  readonly constraints: readonly ConstraintDefinition[];
}

/** The elements between the parentheses of `CREATE TABLE t (…)`. */
export interface TableElements {
  readonly columns: readonly ColumnDefinition[];
  /** The constraints of columns and of the table, in the order of the text. */
  readonly constraints: readonly ConstraintDefinition[];
}

/** `(c type …, …)` with constraints between and after the columns; at least one column, no name twice. */
export function tableElements(cursor: TokenCursor): TableElements {
  const columns: ColumnDefinition[] = [];
  const constraints: ConstraintDefinition[] = [];
  const names = new Set<string>();
  cursor.expectSymbol('(');
  do {
    if (isAtTableConstraint(cursor)) {
      constraints.push(tableConstraint(cursor));
      continue;
    }
    if (cursor.isAt('LIKE')) unsupported(cursor, 'CREATE TABLE (LIKE …)', 'use CREATE TABLE … CLONE');
    const element = columnDefinition(cursor);
    const { column } = element;
    if (names.has(column.name)) {
      fail(
        'DUPLICATE_COLUMN',
        { message: `Column "${column.name}" is defined twice` },
        { location: column.location },
      );
    }
    names.add(column.name);
    columns.push(column);
    constraints.push(...element.constraints);
  } while (cursor.acceptSymbol(','));
  if (columns.length === 0) cursor.unexpected('a column');
  cursor.expectSymbol(')');
  return { columns, constraints };
}

/** `name type [NULL | NOT NULL | DEFAULT e | constraint]…` in any order. */
export function columnDefinition(cursor: TokenCursor): ColumnWithConstraints {
  const placed = placedName(cursor, 'the name of a column');
  const { name, location } = placed;
  const constraints: ConstraintDefinition[] = [];
  const typeStart = cursor.offset;
  const serial = serialType(cursor);
  const declaredType = serial ?? parseDeclaredType(cursor);
  const { kernelType } = declaredType;
  let identity: Identity | undefined = serial && { kind: 'serial', options: { type: serial.kernelType } };
  const type = cursor.textFrom(typeStart);
  let nullable: boolean | undefined;
  let defaultText: SqlText | undefined;
  for (;;) {
    const start = cursor.offset;
    const constraint = constraintName(cursor);
    if (cursor.accept('NOT', 'NULL') || cursor.accept('NULL')) {
      const allows =
        cursor.tokens[cursor.index - 2] === undefined || !isWord(cursor.tokens[cursor.index - 2], 'NOT');
      if (nullable !== undefined && nullable !== allows) {
        const message = `Column "${name}" is declared both NULL and NOT NULL`;
        fail('SYNTAX_ERROR', { message }, { location: cursor.locationFrom(start) });
      }
      nullable = allows;
    } else if (cursor.accept('DEFAULT')) {
      if (defaultText !== undefined) {
        const message = `Column "${name}" has two defaults`;
        fail('SYNTAX_ERROR', { message }, { location: cursor.locationFrom(start) });
      }
      defaultText = expressionText(cursor, 'a default', AFTER_DEFAULT);
    } else if (cursor.isAt('COLLATE')) {
      columnCollation(cursor, kernelType);
    } else {
      const clause = identityClause(cursor);
      if (clause !== undefined) {
        if (identity !== undefined) {
          const message = `Column "${name}" has two sequences`;
          fail('SYNTAX_ERROR', { message }, { location: cursor.locationFrom(start) });
        }
        identity = clause;
        continue;
      }
      const found = columnConstraint(cursor, placed, constraint);
      if (found === undefined) {
        if (constraint !== undefined) cursor.unexpected('a constraint');
        break;
      }
      constraints.push(found);
    }
  }
  if (identity !== undefined) refuseOtherDefault(cursor, { name, nullable, defaultText, kernelType });
  const word = UNSUPPORTED.find((c) => cursor.isAt(c));
  if (word !== undefined) unsupported(cursor, word === 'PARTITION' ? 'PARTITION in a column' : word);
  const isNullable = nullable ?? identity === undefined;
  const column = {
    ...declaredType,
    name,
    type,
    nullable: isNullable,
    default: defaultText,
    identity,
    location,
  };
  return { column, constraints };
}

/** A column that numbers its rows is never NULL and has no other default. */
function refuseOtherDefault(
  cursor: TokenCursor,
  column: {
    readonly name: string;
    readonly nullable: boolean | undefined;
    readonly defaultText: SqlText | undefined;
    readonly kernelType: string;
  },
): void {
  const { name, nullable, defaultText, kernelType } = column;
  const reason =
    defaultText !== undefined
      ? 'has a DEFAULT and counts by a sequence'
      : nullable === true
        ? 'counts by a sequence and cannot be NULL'
        : ['INTEGER', 'BIGINT'].includes(kernelType)
          ? undefined
          : 'counts by a sequence and must be an INTEGER or a BIGINT';
  if (reason === undefined) return;
  const location = cursor.previous && cursor.locationOf(cursor.previous);
  fail('SYNTAX_ERROR', { message: `Column "${name}" ${reason}` }, { location });
}
