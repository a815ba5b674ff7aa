import type { TableObject } from './model.ts';

/**
 * The prefix of the keys of tablets at the LOCATION of a table: empty or ending in a slash. It is relative for a location below the
 * managed store, otherwise a URL with a folder of its own for each store, so that stores which share a location do not
 * delete each other's objects. The URL contains the id of the LOCATION object that has the credentials of the bucket, if there
 * is one: `s3://<id>@bucket/…`.
 */
export function locationPrefix(
  { location, locationId }: Pick<TableObject, 'location' | 'locationId'>,
  store: { readonly url: string; readonly id: string },
): string {
  if (location === undefined) return '';
  const place = location.replace(/\/*$/, '');
  if (place === store.url) return '';
  if (place.startsWith(`${store.url}/`)) return `${place.slice(store.url.length + 1)}/`;
  const guarded = locationId === undefined ? place : place.replace('://', `://${locationId}@`);
  return `${guarded}/${store.id}/`;
}
