import { DIALECT_FUNCTIONS } from '@tessera/sql';
import { sequencesOfDatabase } from '../facts/relations-of-database.ts';
import type { SystemFacts } from '../facts/system-facts.ts';
import { columnsOf, type SystemRelation, type SystemType } from '../facts/system-relation.ts';

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

const empty =
  (...columns: ColumnList) =>
  (): SystemRelation => ({
    columns: columnsOf(...columns),
    rows: [],
  });

type ColumnList = readonly (string | readonly [string, SystemType])[];

const TABLE = ['table_catalog', 'table_schema', 'table_name'] as const;

/**
 * Relations of the SQL standard about sequences, and about features that the engine does not have: triggers,
 * domains.
 */
export const STANDARD_RELATIONS: Readonly<Record<string, (facts: SystemFacts) => SystemRelation>> = {
  character_sets: ({ database }) => ({
    columns: columnsOf(
      'character_set_catalog',
      'character_set_schema',
      'character_set_name',
      'character_repertoire',
      'form_of_use',
      'default_collate_catalog',
      'default_collate_schema',
      'default_collate_name',
    ),
    rows: [[null, null, 'UTF8', 'UCS', 'UTF8', database, 'pg_catalog', 'C']],
  }),
  collations: ({ database }) => ({
    columns: columnsOf('collation_catalog', 'collation_schema', 'collation_name', 'pad_attribute'),
    rows: [[database, 'pg_catalog', 'C', 'NO PAD']],
  }),
  column_privileges: empty('grantor', 'grantee', ...TABLE, 'column_name', 'privilege_type', 'is_grantable'),
  domains: empty(
    'domain_catalog',
    'domain_schema',
    'domain_name',
    'data_type',
    'domain_default',
    'udt_catalog',
    'udt_schema',
    'udt_name',
  ),
  element_types: empty(
    'object_catalog',
    'object_schema',
    'object_name',
    'object_type',
    'collection_type_identifier',
    'data_type',
    'udt_catalog',
    'udt_schema',
    'udt_name',
    'dtd_identifier',
  ),
  information_schema_catalog_name: ({ database }) => ({
    columns: columnsOf('catalog_name'),
    rows: [[database]],
  }),
  parameters: empty(
    'specific_catalog',
    'specific_schema',
    'specific_name',
    ['ordinal_position', 'INTEGER'],
    'parameter_mode',
    'is_result',
    'as_locator',
    'parameter_name',
    'data_type',
    'udt_catalog',
    'udt_schema',
    'udt_name',
    'parameter_default',
  ),
  sequences: (facts) => ({
    columns: columnsOf(
      'sequence_catalog',
      'sequence_schema',
      'sequence_name',
      'data_type',
      ['numeric_precision', 'INTEGER'],
      ['numeric_precision_radix', 'INTEGER'],
      ['numeric_scale', 'INTEGER'],
      'start_value',
      'minimum_value',
      'maximum_value',
      'increment',
      'cycle_option',
    ),
    rows: sequencesOfDatabase(facts).map(({ schema, sequence }) => [
      facts.database,
      schema.name,
      sequence.name,
      sequence.type.toLowerCase(),
      sequence.type === 'INTEGER' ? 32 : 64,
      2,
      0,
      sequence.start,
      sequence.min,
      sequence.max,
      sequence.increment,
      sequence.cycle ? 'YES' : 'NO',
    ]),
  }),
  triggers: empty(
    'trigger_catalog',
    'trigger_schema',
    'trigger_name',
    'event_manipulation',
    'event_object_catalog',
    'event_object_schema',
    'event_object_table',
    ['action_order', 'INTEGER'],
    'action_condition',
    'action_statement',
    'action_orientation',
    'action_timing',
  ),
  view_table_usage: empty('view_catalog', 'view_schema', 'view_name', ...TABLE),
};
