import { fail } from '@tessera/common';
import type { TokenCursor } from '../../text/token-cursor.ts';
import type { DeclaredType } from '../../types/declared-type.ts';
import type {
  AlterSequenceStatement,
  CreateSequenceStatement,
  Identity,
  SequenceOptions,
} from '../catalog-statement.ts';
import { identifier, ifExists, ifNotExists, objectName, temporaryName } from './names.ts';

/** Parses `[IF NOT EXISTS] name [options]` after CREATE [TEMP] SEQUENCE. */
export function createSequence(cursor: TokenCursor, isTemporary = false): CreateSequenceStatement {
  const quiet = ifNotExists(cursor);
  const given = objectName(cursor, 'the name of a sequence');
  const options = sequenceOptions(cursor);
  cursor.expectEnd();
  const name = isTemporary ? temporaryName(given) : given;
  return { kind: 'create_sequence', name, ifNotExists: quiet, options, isTemporary };
}

/** `SEQUENCE [IF EXISTS] name {options | RENAME TO n | OWNER TO u}` after ALTER */
export function alterSequence(cursor: TokenCursor): AlterSequenceStatement {
  const quiet = ifExists(cursor);
  const name = objectName(cursor, 'the name of a sequence');
  const head = { kind: 'alter_sequence', name, ifExists: quiet } as const;
  if (cursor.accept('RENAME', 'TO')) {
    const to = identifier(cursor, 'the new name');
    cursor.expectEnd();
    return { ...head, change: { kind: 'rename', to } };
  }
  if (cursor.accept('OWNER', 'TO')) {
    const to = identifier(cursor, 'a user or role');
    cursor.expectEnd();
    return { ...head, change: { kind: 'owner', to } };
  }
  const options = sequenceOptions(cursor);
  if (Object.keys(options).length === 0) cursor.unexpected('an option of a sequence');
  cursor.expectEnd();
  return { ...head, change: { kind: 'options', options } };
}

/**
 * The type of a serial column, which is NOT NULL and has a sequence of its own. Undefined for every other
 * type.
 */
export function serialType(
  cursor: TokenCursor,
): (DeclaredType & { readonly kernelType: 'INTEGER' | 'BIGINT' }) | undefined {
  if (cursor.accept('SERIAL') || cursor.accept('SERIAL4')) return { kernelType: 'INTEGER' };
  if (cursor.accept('SMALLSERIAL') || cursor.accept('SERIAL2'))
    return { kernelType: 'INTEGER', declared: 'smallint' };
  return cursor.accept('BIGSERIAL') || cursor.accept('SERIAL8') ? { kernelType: 'BIGINT' } : undefined;
}

/** Parses `GENERATED {ALWAYS | BY DEFAULT} AS IDENTITY [(options)]`; undefined if something else follows. */
export function identityClause(cursor: TokenCursor): Identity | undefined {
  const always = cursor.accept('GENERATED', 'ALWAYS', 'AS', 'IDENTITY');
  if (!always && !cursor.accept('GENERATED', 'BY', 'DEFAULT', 'AS', 'IDENTITY')) return undefined;
  let options: SequenceOptions = {};
  if (cursor.acceptSymbol('(')) {
    options = sequenceOptions(cursor);
    cursor.expectSymbol(')');
  }
  return { kind: always ? 'always' : 'by_default', options };
}

type Given = { -readonly [K in keyof SequenceOptions]: SequenceOptions[K] };

function sequenceOptions(cursor: TokenCursor): SequenceOptions {
  const options: Given = {};
  for (;;) {
    const start = cursor.offset;
    const given = sequenceOption(cursor);
    if (given === undefined) return options;
    if (Object.keys(given).some((name) => Object.hasOwn(options, name))) {
      const message = 'An option of a sequence is specified twice';
      fail('SYNTAX_ERROR', { message }, { location: cursor.locationFrom(start) });
    }
    Object.assign(options, given);
  }
}

function sequenceOption(cursor: TokenCursor): SequenceOptions | undefined {
  if (cursor.accept('AS')) return { type: sequenceType(cursor) };
  if (cursor.accept('INCREMENT')) {
    cursor.accept('BY');
    return { increment: integer(cursor) };
  }
  if (cursor.accept('MINVALUE')) return { min: integer(cursor) };
  if (cursor.accept('NO', 'MINVALUE')) return { min: null };
  if (cursor.accept('MAXVALUE')) return { max: integer(cursor) };
  if (cursor.accept('NO', 'MAXVALUE')) return { max: null };
  if (cursor.accept('START')) {
    cursor.accept('WITH');
    return { start: integer(cursor) };
  }
  if (cursor.accept('RESTART')) {
    const isWith = cursor.accept('WITH');
    const isGiven = isWith || /^[-+\d]/.test(cursor.peek()?.image ?? '');
    return { restart: isGiven ? integer(cursor) : null };
  }
  if (cursor.accept('CACHE')) return { cache: integer(cursor) };
  if (cursor.accept('NO', 'CYCLE')) return { cycle: false };
  if (cursor.accept('CYCLE')) return { cycle: true };
  if (cursor.accept('OWNED', 'BY', 'NONE')) return { ownedBy: null };
  if (cursor.accept('OWNED', 'BY')) return { ownedBy: objectName(cursor, 'a column, as table.column') };
  return undefined;
}

function sequenceType(cursor: TokenCursor): 'INTEGER' | 'BIGINT' {
  if (['INTEGER', 'INT', 'INT4', 'SMALLINT', 'INT2'].some((word) => cursor.accept(word))) return 'INTEGER';
  if (['BIGINT', 'INT8', 'LONG'].some((word) => cursor.accept(word))) return 'BIGINT';
  return cursor.unexpected('INTEGER or BIGINT');
}

function integer(cursor: TokenCursor): bigint {
  const start = cursor.offset;
  const text = cursor.expectValue('an integer');
  if (/^-?\d{1,19}$/.test(text)) return BigInt(text);
  const message = `The options of a sequence are 64-bit integers, not ${text}`;
  return fail('INVALID_ARGUMENT', { message }, { location: cursor.locationFrom(start) });
}
