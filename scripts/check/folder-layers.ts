import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { LayerTable } from './layer-table.ts';

/** An import between two files of the repository, as paths from its root. */
export interface FileImport {
  readonly from: string;
  readonly to: string;
}

/** The sources of the product and of benchmarks. Tests may use whatever they test, so they are left out. */
const SOURCE = /^(packages|bench)\/[^/]+\/src\/(?!.*(\.test\.ts$|\/testing\/|\/generated\/))/;

/**
 * Imports between the folders of a package that are not allowed, one line each:
 * - a cycle between folders, or between a folder and files beside it, at any depth;
 * - an import against the order that `folders` of `layers.json` gives, from the top down.
 * A folder that has no place in the order of its package, and a place without a folder, are problems too.
 */
export function folderProblems(root: string, table: LayerTable, imports: readonly FileImport[]): string[] {
  const edges = edgesByFolder(imports.filter(({ from, to }) => SOURCE.test(from) && SOURCE.test(to)));
  const cycles = [...edges].flatMap(([folder, list]) => cyclesIn(folder, list));
  const orders = Object.entries(table.folders ?? {});
  return [
    ...cycles,
    ...orders.flatMap(([place, order]) => {
      const folder = `packages/${place}`;
      return [...listProblems(root, folder, order), ...upwardImports(folder, order, edges.get(folder) ?? [])];
    }),
  ];
}

/** An import as seen from the deepest folder that contains both files: from one of its entries to another. */
interface Edge extends FileImport {
  readonly fromEntry: string;
  readonly toEntry: string;
}

function edgesByFolder(imports: readonly FileImport[]): Map<string, Edge[]> {
  const found = new Map<string, Edge[]>();
  for (const { from, to } of imports) {
    const [a, b] = [from.split('/'), to.split('/')];
    const depth = a.findIndex((part, i) => part !== b[i]);
    // An import of another package, or of the file itself.
    if (depth < 3) continue;
    const folder = a.slice(0, depth).join('/');
    const edge = { from, to, fromEntry: a[depth]!, toEntry: b[depth]! };
    found.set(folder, [...(found.get(folder) ?? []), edge]);
  }
  return found;
}

/** Returns one line for each folder from which imports lead back to it, with the shortest such path. */
function cyclesIn(folder: string, edges: readonly Edge[]): string[] {
  const next = Map.groupBy(edges, ({ fromEntry }) => fromEntry);
  const told = new Set<string>();
  return [...next.keys()]
    .filter((entry) => !entry.endsWith('.ts'))
    .flatMap((start) => {
      if (told.has(start)) return [];
      const way = wayBack(start, next);
      if (way === undefined) return [];
      for (const { fromEntry } of way) told.add(fromEntry);
      const steps = way.map(({ from, to }) => `${from} → ${to}`).join(', ');
      return [
        `${folder}: folders in a cycle: ${[start, ...way.map((e) => e.toEntry)].join(' → ')}: ${steps}`,
      ];
    });
}

function wayBack(start: string, next: ReadonlyMap<string, readonly Edge[]>): Edge[] | undefined {
  const ways: Edge[][] = [[]];
  const seen = new Set<string>();
  for (const way of ways) {
    for (const edge of next.get(way.at(-1)?.toEntry ?? start) ?? []) {
      if (edge.toEntry === start) return [...way, edge];
      if (seen.has(edge.toEntry)) continue;
      seen.add(edge.toEntry);
      ways.push([...way, edge]);
    }
  }
  return undefined;
}

function listProblems(root: string, folder: string, order: readonly string[]): string[] {
  const path = join(root, folder);
  const entries = existsSync(path) ? readdirSync(path, { withFileTypes: true }) : [];
  const there = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const unlisted = there.filter((name) => !order.includes(name) && name !== 'testing');
  const gone = order.filter((name) => !there.includes(name));
  return [
    ...unlisted.map((name) => `${folder}/${name}: has no place in the folders of layers.json`),
    ...gone.map((name) => `layers.json: ${folder}/${name} is no folder`),
  ];
}

const upwardImports = (folder: string, order: readonly string[], edges: readonly Edge[]): string[] =>
  edges
    .filter(({ fromEntry, toEntry }) => {
      const [own, other] = [order.indexOf(fromEntry), order.indexOf(toEntry)];
      return own !== -1 && other !== -1 && other < own;
    })
    .map(
      ({ from, to, fromEntry, toEntry }) =>
        `${from}: imports upwards: ${fromEntry} is below ${toEntry} in ${folder} (layers.json): ${to}`,
    );
