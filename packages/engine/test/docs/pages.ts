/** The pages that each test file executes: files run concurrently, the pages of one file in sequence. */
export const PAGES = {
  readme: ['README.md'],
  tutorial: ['docs/tutorial.md', 'docs/configuration.md'],
  guides: ['docs/guides/http.md', 'docs/guides/loading.md', 'docs/object-storage.md'],
  sql: [
    ...[
      'docs/sql/queries.md',
      'docs/guides/cookbook.md',
      'docs/guides/aggregating-indexes.md',
      'docs/migrating-from-firebolt.md',
      'docs/troubleshooting.md',
      'docs/sql/types.md',
      'docs/sql/table-functions.md',
      'docs/http-api.md',
      'docs/result-cache.md',
      'docs/tracing.md',
      'docs/oidc.md',
    ],
    ...['docs/postgres.md', 'docs/guides/postgres.md'],
  ],
  operating: ['docs/cluster.md', 'docs/guides/explain.md', 'docs/authentication.md', 'docs/operations.md'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
