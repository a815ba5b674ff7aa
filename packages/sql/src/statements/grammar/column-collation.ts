import { fail } from '@tessera/common';
import type { TokenCursor } from '../../text/token-cursor.ts';

/** The collations that compare texts by their bytes, as every column does. */
const BY_BYTES: ReadonlySet<string> = new Set(['C', 'POSIX', 'default', 'ucs_basic']);

/**
 * Parses `COLLATE [pg_catalog.]"C"` after the type of a column, if it is there.
 * @throws TesseraError NOT_SUPPORTED for other collations, DATATYPE_MISMATCH for a type other than text
 */
export function columnCollation(cursor: TokenCursor, kernelType: string): void {
  const start = cursor.offset;
  if (!cursor.accept('COLLATE')) return;
  if (kernelType !== 'VARCHAR')
    fail(
      'DATATYPE_MISMATCH',
      { message: 'COLLATE can only be applied to text' },
      { location: cursor.locationFrom(start) },
    );
  if (cursor.accept('PG_CATALOG')) cursor.expectSymbol('.');
  const isDefault = cursor.accept('DEFAULT');
  const name = isDefault ? 'default' : cursor.expectName('a collation');
  if (BY_BYTES.has(name)) return;
  fail(
    'NOT_SUPPORTED',
    {
      what: `A column with the collation "${name}"`,
      hint: 'columns compare texts by their bytes (COLLATE "C"); queries can sort otherwise (ORDER BY name COLLATE "en_US")',
    },
    { location: cursor.locationFrom(start) },
  );
}
