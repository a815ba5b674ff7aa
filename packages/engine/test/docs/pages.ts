/** Pages that are tried, by the test file that does it: files run beside each other, the pages of one in turn. */
export const PAGES = {
  readme: ['README.md', 'docs/http-api.md', 'docs/postgres.md'],
  tutorial: ['docs/tutorial.md', 'docs/oidc.md', 'docs/configuration.md'],
  guides: ['docs/guides/http.md', 'docs/guides/postgres.md', 'docs/guides/loading.md'],
  sql: ['docs/sql/queries.md', 'docs/sql/types.md', 'docs/sql/table-functions.md'],
  operating: ['docs/cluster.md', 'docs/authentication.md', 'docs/object-storage.md', 'docs/operations.md'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
