import { internalCall } from '../functions/expressions.ts';
import { namesIn, quoteIdentifier } from '../text/names.ts';
import { call, cast, constant, type Expression, stringLiteral } from '../tree.ts';
import { coalesced, concatenated, type Lookup, lookedUp } from './lookup.ts';

/** A type whose values are OIDs that are written as names. */
export interface RegType {
  readonly what: string;
  readonly oid: Lookup;
  readonly name: Lookup;
}

export const REG_TYPES: Readonly<Record<string, RegType>> = {
  regclass: { what: 'relation', oid: 'relation_oid', name: 'relation_name' },
  regtype: { what: 'type', oid: 'type_oid', name: 'type_name' },
  regnamespace: { what: 'schema', oid: 'namespace_oid', name: 'namespace_name' },
  regrole: { what: 'role', oid: 'role_oid', name: 'role_name' },
  regproc: { what: 'function', oid: 'routine_oid', name: 'routine_name' },
  // Users cannot define operators, and the engine's own have no OIDs.
  regoper: { what: 'operator', oid: 'routine_oid', name: 'routine_name' },
  regoperator: { what: 'operator', oid: 'routine_oid', name: 'routine_name' },
  regprocedure: { what: 'function', oid: 'routine_oid', name: 'routine_name' },
};

const OID = 'UINTEGER';
const DIGITS = /^\d+$/;

/**
 * `'t'::regclass`, `c.oid::regclass` → the OID, with a lookup if the value is a name.
 * @param missing the expression for a name that does not exist
 */
export function regValue(type: RegType, value: Expression, missing: 'null' | 'error'): Expression {
  const text = stringLiteral(value);
  if (text !== undefined && DIGITS.test(text)) return cast(constant(Number(text)), OID);
  if (text === undefined) {
    const written = cast(value, 'VARCHAR');
    return coalesced(cast(written, OID, true), lookedUp(type.oid, written));
  }
  const found = lookedUp(type.oid, constant(normalName(type, text)));
  return missing === 'null' ? found : coalesced(found, failure(type, text));
}

/** The name for a value of the type. */
export const regName = (type: RegType, oid: Expression): Expression =>
  coalesced(lookedUp(type.name, oid), cast(oid, 'VARCHAR'));

/**
 * A name in the form that lookups use as keys: folded, quoted where necessary, functions without arguments.
 */
function normalName({ name }: RegType, text: string): string {
  if (name === 'type_name')
    return text
      .trim()
      .toLowerCase()
      .replace(/^pg_catalog\./, '');
  const parts = namesIn(text.replace(/\(.*/s, ''));
  const plain = name === 'routine_name' && parts[0] === 'pg_catalog' ? parts.slice(1) : parts;
  return plain.map(quoteIdentifier).join('.');
}

const failure = ({ what }: RegType, text: string): Expression =>
  cast(call('error', concatenated(constant(`${what} "${text}" does not exist`))), OID);

/** Builds the call `format_type(oid, modifier)`. */
export const formattedType = (oid: Expression, modifier: Expression): Expression =>
  internalCall('pg_format_type', lookedUp('type_name', oid), oid, cast(modifier, 'INTEGER'));
