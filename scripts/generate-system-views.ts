import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type SystemCatalogRelation, systemCatalogRelations } from '../packages/system-catalog/src/index.ts';
import { columnText, GROUPS, RESERVED } from './system-views/information-schema.ts';
import { RELATIONS } from './system-views/pg-catalog.ts';

/**
 * Writes the pages that list the relations of `information_schema` and `pg_catalog`. With `--check` it only reports stale
 * pages. Fails if a relation or column is not described, or a description has no relation or column.
 */
const relations = systemCatalogRelations();
const directory = join(dirname(import.meta.dirname), 'docs', 'sql');
const pages = {
  'information-schema.md': informationSchemaPage(relations.filter((r) => r.schema === 'information_schema')),
  'pg-catalog.md': pgCatalogPage(relations.filter((r) => r.schema === 'pg_catalog')),
};

for (const [name, text] of Object.entries(pages)) {
  const path = join(directory, name);
  if (!process.argv.includes('--check')) writeFileSync(path, text);
  else if (current(path) !== text) {
    process.stdout.write(`docs/sql/${name} is stale: run node scripts/generate-system-views.ts\n`);
    process.exitCode = 1;
  }
}

function current(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function informationSchemaPage(views: readonly SystemCatalogRelation[]): string {
  const byName = new Map(views.map((view) => [view.name, view]));
  const texts = Object.values(GROUPS).flatMap((group) => Object.entries(group));
  requireSame('information_schema', byName.keys(), new Set(texts.map(([name]) => name)));
  for (const [name, { columns = {} }] of texts) {
    const known = byName.get(name)!.columns.map((column) => column.name);
    for (const column of Object.keys(columns))
      if (!known.includes(column)) throw new Error(`information_schema.${name} has no column ${column}`);
  }
  return [
    '<!-- Written by scripts/generate-system-views.ts; edit the texts in scripts/system-views. -->',
    '# information_schema',
    '',
    'Every database has these views. They are computed from the statement’s snapshot when a statement reads them, and may be joined',
    'and filtered like tables. `SHOW TABLES`, `SHOW COLUMNS` and `DESCRIBE` read them. A user sees only the rows that *Rows* names;',
    'the superuser, and everyone while authentication is off, sees all of them. For PostgreSQL’s own catalogs, see',
    '[pg_catalog](pg-catalog.md).',
    '',
    ...Object.entries(GROUPS).map(
      ([title, group]) =>
        `- ${title}: ${Object.keys(group)
          .map((name) => `[${name}](#${name})`)
          .join(', ')}`,
    ),
    ...Object.entries(GROUPS).flatMap(([title, group]) => [
      '',
      `## ${title}`,
      ...Object.entries(group).flatMap(([name, view]) => {
        const { columns } = byName.get(name)!;
        const described = columns.map((column) => ({ ...column, text: columnText(view, column.name) }));
        const reserved = described.filter(({ text }) => text === undefined).map((column) => column.name);
        const unknown = reserved.find((column) => !RESERVED.has(column));
        if (unknown !== undefined)
          throw new Error(`information_schema.${name}.${unknown} has no description`);
        return [
          ...['', `### ${name}`, '', view.description, '', `*Rows:* ${view.rows}.`, ''],
          '| column | type | contents |',
          '|---|---|---|',
          ...described
            .filter(({ text }) => text !== undefined)
            .map((column) => `| \`${column.name}\` | ${column.type} | ${column.text} |`),
          ...(reserved.length === 0
            ? []
            : [
                '',
                `Columns of the SQL standard that are always NULL: ${reserved.map((c) => `\`${c}\``).join(', ')}.`,
              ]),
        ];
      }),
    ]),
    '',
  ].join('\n');
}

function pgCatalogPage(all: readonly SystemCatalogRelation[]): string {
  const filled = all.filter(({ hasRows }) => hasRows).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const empty = all.filter(({ hasRows }) => !hasRows).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  requireSame(
    'pg_catalog',
    filled.map(({ name }) => name),
    new Set(Object.keys(RELATIONS)),
  );
  return [
    '<!-- Written by scripts/generate-system-views.ts; edit the texts in scripts/system-views. -->',
    '# pg_catalog',
    '',
    'The relations of PostgreSQL 15 that clients read, with PostgreSQL’s columns and types. Columns mean what they mean in',
    '[PostgreSQL](https://www.postgresql.org/docs/15/catalogs.html); those without a counterpart in Tessera are 0, false, empty or',
    'NULL. For OIDs, functions and the clients whose catalog queries are tested, see [postgres-catalog.md](../postgres-catalog.md);',
    'for the views with Tessera’s own columns, see [information_schema](information-schema.md).',
    '',
    '## Relations with rows',
    ...filled.flatMap(({ name, columns }) => [
      '',
      `### ${name}`,
      '',
      RELATIONS[name]!.description,
      '',
      `*Rows:* ${RELATIONS[name]!.rows}.`,
      '',
      `*Columns:* ${columnList(columns)}.`,
    ]),
    '',
    '## Relations without rows',
    '',
    'These exist so that clients’ catalog queries work. They are always empty.',
    '',
    '| relation | columns |',
    '|---|---|',
    ...empty.map(({ name, columns }) => `| \`${name}\` | ${columnList(columns)} |`),
    '',
  ].join('\n');
}

function columnList(columns: SystemCatalogRelation['columns']): string {
  return columns.map(({ name, type }) => `\`${name}\` ${type.replaceAll('[', '\\[')}`).join(', ');
}

function requireSame(schema: string, names: Iterable<string>, described: ReadonlySet<string>): void {
  const left = new Set(described);
  for (const name of names)
    if (!left.delete(name)) throw new Error(`${schema}.${name} has no description in scripts/system-views`);
  if (left.size > 0)
    throw new Error(`scripts/system-views describes ${[...left].join(', ')}, which ${schema} does not have`);
}
