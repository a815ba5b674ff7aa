/**
 * A storage of this browser, for good or for the tab; where it is forbidden, one that lasts as long as the page.
 * @param {'localStorage' | 'sessionStorage'} area
 * @returns {Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>}
 */
export function browserStorage(area) {
  try {
    // Reading the property is what throws where site data is blocked.
    return window[area];
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
