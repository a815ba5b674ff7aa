import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * `layers.json`: the layers from the top down; the packages of a layer that may use other packages of the same
 * layer; and the order of the folders inside packages, from the top down.
 */
export interface LayerTable {
  readonly layers: readonly { readonly name: string; readonly packages: readonly string[] }[];
  readonly friends: Readonly<Record<string, readonly string[]>>;
  /** The key is a folder below `packages`, such as `sql/src`. */
  readonly folders?: Readonly<Record<string, readonly string[]>>;
}

export function readLayerTable(root: string): LayerTable {
  return JSON.parse(readFileSync(join(root, 'layers.json'), 'utf8')) as LayerTable;
}

export const packagesOf = (table: LayerTable): string[] => table.layers.flatMap((l) => l.packages);

/** Returns the packages that a package may import: everything in lower layers, and its friends. */
export function allowedFor(table: LayerTable, name: string): string[] {
  const own = table.layers.findIndex((l) => l.packages.includes(name));
  const below = table.layers.slice(own + 1).flatMap((l) => l.packages);
  return [...(table.friends[name] ?? []), ...below];
}

/**
 * Returns mistakes in the table itself: a name that occurs twice, a friend of another layer, a cycle of
 * friends.
 */
export function tableProblems(table: LayerTable): string[] {
  const problems: string[] = [];
  const names = packagesOf(table);
  for (const name of new Set(names.filter((n, i) => names.indexOf(n) !== i)))
    problems.push(`layers.json: ${name} stands in two places`);
  for (const [name, friends] of Object.entries(table.friends)) {
    const layer = table.layers.find((l) => l.packages.includes(name));
    for (const friend of friends)
      if (!layer?.packages.includes(friend))
        problems.push(`layers.json: ${name} and its friend ${friend} are not in one layer`);
    if (reaches(table, name, name)) problems.push(`layers.json: the friends of ${name} lead back to it`);
  }
  return problems;
}

function reaches(table: LayerTable, from: string, to: string, seen = new Set<string>()): boolean {
  return (table.friends[from] ?? []).some((friend) => {
    if (friend === to) return true;
    if (seen.has(friend)) return false;
    seen.add(friend);
    return reaches(table, friend, to, seen);
  });
}
