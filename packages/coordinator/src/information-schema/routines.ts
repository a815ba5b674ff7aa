import { DIALECT_FUNCTIONS } from '@tessera/sql';
import type { SystemFacts } from './system-facts.ts';
import { columnsOf, type SystemRelation } from './system-relation.ts';

const COLUMNS = columnsOf(
  'routine_catalog',
  'routine_schema',
  'routine_name',
  'routine_type',
  'routine_category',
  'routine_signature',
  'routine_description',
  'routine_example',
);

/** The functions that the dialect documents, a row for each signature. */
export const routines = ({ database }: SystemFacts): SystemRelation => ({
  columns: COLUMNS,
  rows: DIALECT_FUNCTIONS.flatMap((f) =>
    [f.name, ...(f.aliases ?? [])].flatMap((name) =>
      f.signatures.map((signature) => [
        database,
        'information_schema',
        name,
        'FUNCTION',
        f.category,
        signature,
        f.description,
        f.example,
      ]),
    ),
  ),
});
