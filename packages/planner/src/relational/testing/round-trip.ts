import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { kernelBootstrap, MANAGED_SCHEMA, quoteIdentifier } from '@tessera/sql';
import { differenceOf } from '../../distribution/testing/same-rows.ts';
import type { Answer } from '../../distribution/testing/simulated-cluster.ts';
import { mirrorBootstrap } from '../../mirror-bootstrap.ts';
import { PLAN_SQL } from '../../serialized-plan.ts';
import { readPlan } from '../reading/read-plan.ts';
import type { LeafRelation } from '../rendering/leaf-relation.ts';
import { relationSql } from '../rendering/relation-sql.ts';
import { fillHoles } from '../rendering/sql-parts.ts';

export interface PlannedBy {
  /** The tables as the planning kernel knows them. */
  readonly tables: 'empty' | 'filled';
  /** Further optimisers to disable. */
  readonly without?: readonly string[];
}

/** Runs queries, and their plans after reading and rendering, in the same kernel. */
export class RoundTrip {
  private readonly kernel: DuckDBConnection;
  private readonly mirrors: Readonly<Record<PlannedBy['tables'], DuckDBConnection>>;
  /** The last query that was compared: it is planned in several ways one after another, and has the same rows each time. */
  private compared: { readonly sql: string; readonly answer: Answer } | undefined;

  private constructor(kernel: DuckDBConnection, mirrors: RoundTrip['mirrors']) {
    this.kernel = kernel;
    this.mirrors = mirrors;
  }

  /** @param setup the statements that create the tables */
  static async open(setup: readonly string[]): Promise<RoundTrip> {
    const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
    const kernel = await instance.connect();
    await run(kernel, [...kernelBootstrap, `CREATE SCHEMA ${MANAGED_SCHEMA}`, ...SESSION, ...setup]);
    // Disabled optimisers are a setting of the whole instance, so the planning kernel is a separate instance.
    const empty = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
    await run(empty, [...kernelBootstrap, ...mirrorBootstrap, ...SESSION]);
    await run(empty, await definitions(kernel));
    return new RoundTrip(kernel, { empty, filled: kernel });
  }

  async rows(sql: string): Promise<Answer> {
    const result = await this.kernel.runAndReadAll(sql);
    return { types: result.columnTypes().map(String), rows: result.getRowsJson() };
  }

  /** The query as rendered from its plan. @throws UnsupportedPlan */
  async rendered(sql: string, { tables, without = [] }: PlannedBy): Promise<string> {
    const mirror = this.mirrors[tables];
    const plan = await this.serialized(mirror, sql, without);
    const leaves: string[] = [];
    const leaf = (relation: LeafRelation) => {
      leaves.push(leafSql(relation));
      return { hole: leaves.length - 1, columns: 'names' in relation ? relation.names : [] };
    };
    const template = relationSql(await readPlan(plan), { leaf });
    return fillHoles(template, (hole) => leaves[hole] ?? '');
  }

  /** How the rows of the rendered query differ from those of the original; undefined if they do not. */
  async difference(sql: string, by: PlannedBy, isOrdered = false): Promise<string | undefined> {
    const rendered = await this.rendered(sql, by);
    if (this.compared?.sql !== sql) this.compared = { sql, answer: await this.rows(sql) };
    const expected = this.compared.answer;
    const given = await this.rows(rendered).catch((error: Error) => error);
    const why =
      given instanceof Error
        ? given.message
        : (differenceOf(expected, given) ??
          (isOrdered && JSON.stringify(expected.rows) !== JSON.stringify(given.rows)
            ? 'the order'
            : undefined));
    return why === undefined ? undefined : `${why}\n${sql}\n${rendered}`;
  }

  private async serialized(
    mirror: DuckDBConnection,
    sql: string,
    without: readonly string[],
  ): Promise<string> {
    const [[setting] = []] = (
      await mirror.runAndReadAll("SELECT current_setting('disabled_optimizers')")
    ).getRows();
    const disabled = [DISABLED, ...without].join(',');
    await mirror.run(`SET disabled_optimizers = '${disabled}'`);
    try {
      const [[plan] = []] = (await mirror.runAndReadAll(PLAN_SQL, [sql])).getRows();
      return String(plan);
    } finally {
      await mirror.run(`SET disabled_optimizers = '${String(setting ?? '')}'`);
    }
  }
}

const SESSION = ["SET TimeZone = 'UTC'", `SET search_path = '${MANAGED_SCHEMA}'`];

const DISABLED = /disabled_optimizers = '([^']*)'/.exec(mirrorBootstrap.join(';'))?.[1] ?? '';

async function run(connection: DuckDBConnection, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await connection.run(statement);
}

async function definitions(kernel: DuckDBConnection): Promise<readonly string[]> {
  const types = await kernel.runAndReadAll(
    "SELECT 'CREATE TYPE ' || type_name || ' AS ENUM (' || list_aggregate([chr(39) || l || chr(39) FOR l IN labels], 'string_agg', ', ') || ')' FROM duckdb_types() WHERE NOT internal AND logical_type = 'ENUM'",
  );
  const tables = await kernel.runAndReadAll('SELECT sql FROM duckdb_tables()');
  return [...types.getRows(), ...tables.getRows()].map(([sql]) => String(sql));
}

function leafSql(relation: LeafRelation): string {
  switch (relation.kind) {
    case 'scan':
      return `${MANAGED_SCHEMA}.${quoteIdentifier(relation.relation)}`;
    case 'session':
      return relation.sql;
    case 'input':
      throw new Error('a plan that was read has no inputs');
  }
}
