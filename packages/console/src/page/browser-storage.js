/**
 * The storage of this browser; where it is forbidden, one that lasts as long as the page.
 * @returns {Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>}
 */
export function browserStorage() {
  try {
    // Reading the property is what throws where site data is blocked.
    return window.localStorage;
  } catch {
    /** @type {Map<string, string>} */
    const values = new Map();
    return {
      getItem: (key) => values.get(key) ?? null,
      setItem: (key, value) => void values.set(key, value),
      removeItem: (key) => void values.delete(key),
    };
  }
}
