import { CatalogState } from './catalog-state.ts';
import type { StoredContents } from './state-parts.ts';
import { TableContents } from './table-contents.ts';

/** The same state with other names for some objects of tablets. The tombstones of these objects are left out. */
export function withNames({ parts }: CatalogState, rename: (name: string) => string): CatalogState {
  let { contents, tombstones, shares } = parts;
  for (const [id, stored] of parts.contents) {
    const renamed = renamedContents(stored, rename);
    if (renamed !== stored) contents = contents.with(id, renamed);
  }
  for (const name of [...tombstones.values()].map((tombstone) => tombstone.name))
    if (rename(name) !== name) tombstones = tombstones.without(name);
  for (const [name, users] of parts.shares)
    if (rename(name) !== name) shares = shares.without(name).with(rename(name), users);
  return new CatalogState({ ...parts, contents, tombstones, shares });
}

function renamedContents(stored: StoredContents, rename: (name: string) => string): StoredContents {
  const loaded = stored.load();
  if (loaded.tablets().every(({ key }) => key === undefined || rename(key) === key)) return stored;
  const chunks = loaded
    .chunks()
    .map((chunk) => chunk.map((tablet) => (tablet.key ? { ...tablet, key: rename(tablet.key) } : tablet)));
  return TableContents.from(stored.version, stored.totals, chunks, loaded.vectors);
}
