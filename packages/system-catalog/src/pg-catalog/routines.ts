import { DIALECT_FUNCTIONS } from '@tessera/sql';
import { postgresType } from '../facts/postgres-types.ts';
import type { SystemRelation } from '../facts/system-relation.ts';
import { TYPE_FUNCTIONS } from '../facts/type-lines.ts';
import { ADMIN_OID, PG_CATALOG_OID } from './postgres-facts.ts';
import { catalogRelation, type Row } from './row.ts';

/** The language of built-in functions. */
const INTERNAL = 12;
const FIRST_OID = 9000;

const PLAIN: Row = {
  pronamespace: PG_CATALOG_OID,
  proowner: ADMIN_OID,
  prolang: INTERNAL,
  procost: 1,
  prorows: 0,
  provariadic: 0,
  prosupport: 0,
  prokind: 'f',
  prosecdef: false,
  proleakproof: false,
  proisstrict: false,
  proretset: false,
  provolatile: 'i',
  proparallel: 's',
  pronargs: 0,
  pronargdefaults: 0,
  proargtypes: [],
};

const KINDS: Readonly<Record<string, string>> = { aggregate: 'a', window: 'w' };

/**
 * `pg_proc`: the documented functions, one row per signature, and the input and output functions of types.
 */
export const routines = (): SystemRelation => catalogRelation('pg_proc', rows());

function* rows(): Generator<Row> {
  for (const [name, oid] of Object.entries(TYPE_FUNCTIONS)) {
    yield { ...PLAIN, oid, proname: name, prorettype: 0, prosrc: name };
  }
  for (const { oid, name, category, result, signature } of signatures()) {
    const prokind = KINDS[category] ?? 'f';
    yield { ...PLAIN, oid, proname: name, prokind, prorettype: returnType(result), prosrc: signature };
  }
}

export interface Signature {
  readonly oid: number;
  readonly name: string;
  readonly category: string;
  readonly signature: string;
  /** The text between the parentheses. */
  readonly parameters: string;
  /** The text after the arrow. */
  readonly result: string;
}

/** The documented functions and those of types. */
export function* signatures(): Generator<Signature> {
  let oid = FIRST_OID;
  for (const { name, aliases = [], category, signatures: all } of DIALECT_FUNCTIONS) {
    for (const called of [name, ...aliases]) {
      for (const signature of all) {
        const [head = '', result = ''] = signature.split('→');
        const parameters = head.slice(head.indexOf('(') + 1, head.lastIndexOf(')'));
        yield { oid: oid++, name: called, category, signature, parameters, result: result.trim() };
      }
    }
  }
}

const WORDS: Readonly<Record<string, string>> = {
  integer: 'int4',
  bigint: 'int8',
  real: 'float4',
  'double precision': 'float8',
  boolean: 'bool',
};

/** The return type; `anyelement` if PostgreSQL has no single type for it. */
function returnType(result: string): number {
  const found = postgresType(WORDS[result] ?? result);
  return (found ?? postgresType('anyelement')).oid;
}
