import { DIALECT_FUNCTIONS } from '@tessera/sql';
import type { SystemFacts } from '../facts/system-facts.ts';
import { columnsOf, type SystemRelation } from '../facts/system-relation.ts';

const COLUMNS = columnsOf(
  'routine_catalog',
  'routine_schema',
  'routine_name',
  'routine_type',
  'routine_category',
  'routine_signature',
  'routine_description',
  'routine_example',
  'specific_catalog',
  'specific_schema',
  'specific_name',
  'data_type',
  'routine_body',
  'routine_definition',
  'external_language',
  'is_deterministic',
);

/** The documented functions of the dialect, one row per signature. */
export const routines = ({ database }: SystemFacts): SystemRelation => ({
  columns: COLUMNS,
  rows: DIALECT_FUNCTIONS.flatMap((f) =>
    [f.name, ...(f.aliases ?? [])].flatMap((name) =>
      f.signatures.map((signature, index) => [
        database,
        'information_schema',
        name,
        'FUNCTION',
        f.category,
        signature,
        f.description,
        f.example,
        ...[database, 'information_schema', `${name}_${index + 1}`, signature.split('→').at(-1)!.trim()],
        ...['EXTERNAL', null, 'INTERNAL', null],
      ]),
    ),
  ),
});
