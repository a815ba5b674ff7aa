import { RESERVED_WORDS } from '@tessera/sql';
import { columnsOf, type SystemRelation } from '../facts/system-relation.ts';

/** The result of `pg_get_keywords()`: the reserved words. */
export const keywords = (): SystemRelation => ({
  columns: columnsOf('word', 'catcode', ['barelabel', 'BOOLEAN'], 'catdesc', 'baredesc'),
  rows: RESERVED_WORDS.map((word) => [word.toLowerCase(), 'R', true, 'reserved', 'can be bare label']),
});
