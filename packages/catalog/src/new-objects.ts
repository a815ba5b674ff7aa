import { newUlid } from '@tessera/common';
import type { CatalogObject, ObjectId } from './model.ts';

/** Rows of a granule, which is a row group of the tablet: as large as the kernel likes them best. */
export const DEFAULT_GRANULARITY = 122_880;

/** The fields that every new object has, whatever its kind. The user owns it. */
export const newObject = ({ user }: { readonly user: string }, name: string) => {
  const now = new Date().toISOString();
  return { id: newUlid() as ObjectId, name, createdAt: now, alteredAt: now, owner: user };
};

/** The fields that an object keeps when another definition replaces it: above all its owner and its grants. */
export const keptOf = ({ id, createdAt, owner, grants }: CatalogObject) => ({
  id,
  createdAt,
  owner,
  ...(grants === undefined ? {} : { grants }),
});
