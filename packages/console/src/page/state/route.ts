import { signal } from '@preact/signals';

export const PAGES = {
  query: 'Query',
  running: 'Running',
  history: 'History',
  nodes: 'Nodes',
  tables: 'Tables',
  configuration: 'Settings',
} as const;

export type Page = keyof typeof PAGES;

/** The page that the address names. The query page may carry a statement: `#/query?sql=SELECT%2042`. */
function read(): { page: Page; sql: string | undefined } {
  const [, name = '', search = ''] = /^#\/?([^?]*)\??(.*)$/.exec(location.hash) ?? [];
  const page = Object.hasOwn(PAGES, name) ? (name as Page) : 'query';
  return { page, sql: new URLSearchParams(search).get('sql') ?? undefined };
}

export const route = signal(read());
addEventListener('hashchange', () => {
  route.value = read();
});

/** The address that opens the console with this statement in its editor. */
export const linkTo = (sql: string): string =>
  new URL(`#/query?${new URLSearchParams({ sql })}`, document.baseURI).href;

/** Shows a page, and takes a statement out of the address. */
export function go(page: Page): void {
  location.hash = `#/${page}`;
  route.value = { page, sql: undefined };
}
