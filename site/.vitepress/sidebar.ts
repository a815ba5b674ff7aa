interface Group {
  readonly text: string;
  readonly pages: readonly (readonly [title: string, path: string])[];
}

/** Groups of pages by reader. Every page of `docs/` is in one of them. */
export const SIDEBAR: readonly Group[] = [
  {
    text: 'Start here',
    pages: [
      ['What Tessera is', 'README.md'],
      ['Tutorial', 'docs/tutorial.md'],
      ['Cookbook', 'docs/guides/cookbook.md'],
      ['Comparison with other engines', 'docs/comparison.md'],
      ['Migrating from Firebolt', 'docs/migrating-from-firebolt.md'],
      ['All pages', 'docs/README.md'],
    ],
  },
  {
    text: 'Use',
    pages: [
      ['Console', 'docs/console.md'],
      ['Shell', 'docs/guides/shell.md'],
      ['HTTP clients', 'docs/guides/http.md'],
      ['PostgreSQL clients', 'docs/guides/postgres.md'],
      ['Loading data', 'docs/guides/loading.md'],
      ['Data lakes', 'docs/lakes.md'],
      ['EXPLAIN', 'docs/guides/explain.md'],
      ['Result cache', 'docs/result-cache.md'],
      ['Aggregating indexes', 'docs/guides/aggregating-indexes.md'],
      ['Troubleshooting and FAQ', 'docs/troubleshooting.md'],
    ],
  },
  {
    text: 'Operate',
    pages: [
      ['Clusters', 'docs/cluster.md'],
      ['Kubernetes', 'docs/kubernetes.md'],
      ['Operations', 'docs/operations.md'],
      ['Object storage', 'docs/object-storage.md'],
      ['Authentication', 'docs/authentication.md'],
      ['Single sign-on (OIDC)', 'docs/oidc.md'],
      ['Access control', 'docs/access-control.md'],
    ],
  },
  {
    text: 'Reference',
    pages: [
      ['SQL overview', 'docs/sql/README.md'],
      ['Statements', 'docs/statements.md'],
      ['Queries', 'docs/sql/queries.md'],
      ['Syntax', 'docs/sql/syntax.md'],
      ['Data types', 'docs/sql/types.md'],
      ['Functions', 'docs/sql/functions.md'],
      ['Table functions', 'docs/sql/table-functions.md'],
      ['Table function arguments', 'docs/sql/table-function-arguments.md'],
      ['Settings', 'docs/sql/settings.md'],
      ['information_schema', 'docs/sql/information-schema.md'],
      ['pg_catalog', 'docs/sql/pg-catalog.md'],
      ['PostgreSQL catalogs and clients', 'docs/postgres-catalog.md'],
      ['HTTP API', 'docs/http-api.md'],
      ['PostgreSQL endpoint', 'docs/postgres.md'],
      ['Configuration', 'docs/configuration.md'],
      ['Limits', 'docs/limits.md'],
      ['Errors', 'docs/errors.md'],
      ['Metrics', 'docs/metrics.md'],
      ['Tracing', 'docs/tracing.md'],
    ],
  },
  {
    text: 'Understand',
    pages: [
      ['Architecture', 'docs/architecture.md'],
      ['Performance', 'docs/performance.md'],
      ['Metadata log', 'docs/metadata-log.md'],
      ['Tablet format', 'docs/tablet-format.md'],
      ['Design decisions', 'docs/decisions/README.md'],
      ['Glossary', 'docs/glossary.md'],
      ['Changelog', 'CHANGELOG.md'],
      ['Contributing', 'CONTRIBUTING.md'],
    ],
  },
];
