import { TesseraError } from '@tessera/common';

/**
 * Whether a query failed because the kernel evaluated a column that was not fetched. No result depends on
 * such a column, but the kernel's optimiser does not always recognise that.
 */
export const isUnfetchedColumn = (error: unknown): boolean =>
  error instanceof TesseraError && /Column .* of table .* was not fetched/.test(error.message);
