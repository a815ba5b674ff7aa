import type { CatalogState } from '../state/catalog-state.ts';

/** All that can be read from a state, as plain data for comparing. */
export function dump(state: CatalogState): Record<string, unknown> {
  const { parts } = state;
  return {
    version: parts.version,
    epoch: parts.epoch,
    headSha256: parts.headSha256,
    timeMs: parts.timeMs,
    orphansBeforeMs: parts.orphansBeforeMs,
    ...contentOf(state),
    results: parts.results.periods.map((period) => [period.firstMs, period.lastMs, sorted(period.versions)]),
  };
}

/** The content of a state that the transactions produced. */
export function contentOf(state: CatalogState): Record<string, unknown> {
  const { parts } = state;
  return {
    objects: sorted(parts.objects),
    directories: sorted(parts.directories).map(([key, directory]) => [key, directory.list()]),
    contents: sorted(parts.contents).map(([id, stored]) => {
      const contents = stored.load();
      return {
        id,
        version: stored.version,
        totals: stored.totals,
        tablets: contents.tablets(),
        vectors: sorted(contents.vectors),
      };
    }),
    tombstones: sorted(parts.tombstones),
    shares: sorted(parts.shares),
  };
}

function sorted<V>(entries: Iterable<readonly [string, V]>): (readonly [string, V])[] {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
}
