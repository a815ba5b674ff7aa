/**
 * The prefix of the keys of tablets at the LOCATION of a table: empty or ending in a slash. It is relative for a location below the
 * managed store, otherwise a URL with a folder of its own for each store, so that stores which share a location do not
 * delete each other's objects.
 */
export function locationPrefix(
  location: string,
  store: { readonly url: string; readonly id: string },
): string {
  const place = location.replace(/\/*$/, '');
  if (place === store.url) return '';
  return place.startsWith(`${store.url}/`)
    ? `${place.slice(store.url.length + 1)}/`
    : `${place}/${store.id}/`;
}
