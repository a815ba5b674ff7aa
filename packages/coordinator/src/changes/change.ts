import type { CatalogChange } from '@tessera/catalog';
import type { ExecutableQuery } from '../read/executable-query.ts';

/** The change that a statement asks to commit. */
export interface Change extends CatalogChange {
  readonly affectedRows?: number;
  /** The rows of RETURNING, as a query that is ready to run. The receiver of the change must release it. */
  readonly returned?: ExecutableQuery | undefined;
}
