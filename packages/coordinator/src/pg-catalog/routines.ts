import { DIALECT_FUNCTIONS } from '@tessera/sql';
import type { SystemRelation } from '../information-schema/system-relation.ts';
import { NOBODY, PG_CATALOG_OID } from './postgres-facts.ts';
import { postgresType } from './postgres-types.ts';
import { catalogRelation, type Row } from './row.ts';
import { TYPE_FUNCTIONS } from './type-lines.ts';

/** Language of functions that are built in. */
const INTERNAL = 12;
const FIRST_OID = 9000;

const PLAIN: Row = {
  pronamespace: PG_CATALOG_OID,
  proowner: NOBODY,
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

/** `pg_proc`: the documented functions, a row for each signature, and the input and output functions of types. */
export const routines = (): SystemRelation => catalogRelation('pg_proc', rows());

function* rows(): Generator<Row> {
  for (const [name, oid] of Object.entries(TYPE_FUNCTIONS)) {
    yield { ...PLAIN, oid, proname: name, prorettype: 0, prosrc: name };
  }
  let oid = FIRST_OID;
  for (const { name, aliases = [], category, signatures } of DIALECT_FUNCTIONS) {
    for (const called of [name, ...aliases]) {
      for (const signature of signatures) {
        yield {
          ...PLAIN,
          oid: oid++,
          proname: called,
          prokind: KINDS[category] ?? 'f',
          prorettype: returnType(signature),
          pronargs: 0,
          prosrc: signature,
        };
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

/** Type after the arrow of a signature; `anyelement` for what PostgreSQL has no single type for. */
function returnType(signature: string): number {
  const word = signature.split('→').at(-1)!.trim();
  const found = postgresType(WORDS[word] ?? word);
  return (found ?? postgresType('anyelement')).oid;
}
