import { POSTGRES_SETTINGS } from '@tessera/sql';
import type { SystemRelation } from '../facts/system-relation.ts';
import { catalogRelation } from './row.ts';

/** `pg_settings`. */
export const settings = (): SystemRelation =>
  catalogRelation(
    'pg_settings',
    Object.entries(POSTGRES_SETTINGS).map(([name, setting]) => ({
      name,
      setting,
      category: 'Client Connection Defaults',
      short_desc: '',
      context: 'user',
      vartype: 'string',
      source: 'default',
      boot_val: setting,
      reset_val: setting,
      pending_restart: false,
    })),
  );
