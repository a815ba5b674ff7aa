import { RESERVED_WORDS } from '@tessera/sql';
import { columnsOf, type SystemRelation } from '../facts/system-relation.ts';

/** What `pg_get_keywords()` answers: the words that are reserved. */
export const keywords = (): SystemRelation => ({
  columns: columnsOf('word', 'catcode', ['barelabel', 'BOOLEAN'], 'catdesc', 'baredesc'),
  rows: RESERVED_WORDS.map((word) => [word.toLowerCase(), 'R', true, 'reserved', 'can be bare label']),
});
