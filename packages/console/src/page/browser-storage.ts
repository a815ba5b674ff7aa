export type PageStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** A storage of this browser; where site data is blocked, one that lasts as long as the page. */
export function browserStorage(area: 'localStorage' | 'sessionStorage'): PageStorage {
  try {
    // Reading the property is what throws where site data is blocked.
    return window[area];
  } catch {
    const values = new Map<string, string>();
    return {
      getItem: (key) => values.get(key) ?? null,
      setItem: (key, value) => void values.set(key, value),
      removeItem: (key) => void values.delete(key),
    };
  }
}

/** Keeps a value as JSON. A storage that refuses it (full, switched off) is not a failure. */
export function keep(storage: PageStorage, key: string, value: unknown): boolean {
  try {
    storage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

/** The value that `keep` stored; undefined if there is none, or it cannot be read. */
export function kept(storage: PageStorage, key: string): unknown {
  try {
    return JSON.parse(storage.getItem(key) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}
