import type { CatalogChange } from '@tessera/catalog';
import type { BoundQuery } from '../read/bound-query.ts';

/** The change that a statement asks to commit. */
export interface Change extends CatalogChange {
  readonly affectedRows?: number;
  /** The rows of RETURNING, as a query that is ready to run. The receiver of the change must release it. */
  readonly returned?: BoundQuery | undefined;
}
