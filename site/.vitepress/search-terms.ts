/**
 * The terms of a text or a query in the site's search: its words, and names such as `NO_PROGRESS` also as a whole, so that the
 * page which describes a name comes before those that contain its words. VitePress sends the source of this function to the
 * browser, so it must not use anything outside itself.
 */
export function searchTerms(text: string): string[] {
  return [...text.split(/[\n\r\p{Z}\p{P}]+/u), ...(text.match(/\w+_\w+/g) ?? [])];
}
