import { Command } from 'commander';
import { interruption } from './interruption.ts';
import { FORMAT_NAMES } from './query/output-format.ts';
import { runQuery } from './query/run-query.ts';
import { type ServerFlags, serverOf, withServerOptions } from './server-options.ts';

interface Flags extends ServerFlags {
  readonly format?: string;
}

/** By which `tessera ps` knows its own query. */
const PS_LABEL = 'tessera ps';

const NODES = `
  SELECT node_name, status, version, started, reason
  FROM information_schema.nodes
  ORDER BY node_name`;

const RUNNING = `
  SELECT query_id, node_name, user_name, CAST(duration_us / 1000 AS BIGINT) AS duration_ms,
    CASE WHEN stages > 0 THEN stages_finished || '/' || stages END AS stages, percent, query_label, query_text
  FROM information_schema.engine_running_queries
  WHERE query_label <> '${PS_LABEL}'
  ORDER BY submitted_time`;

const NODES_HELP = `
Examples:
  tessera nodes
  tessera nodes -u http://10.0.0.1:3473 --format jsonlines_compact

Any node can be asked: it tells how it sees the others. A node that does not answer is LOST, one that cannot work with
this one (another version, another token) is REFUSED, and the reason is beside it.`;

const PS_HELP = `
Examples:
  tessera ps
  tessera ps -u http://10.0.0.1:3473 --format csv

Any node can be asked: it tells of the queries of all nodes.`;

const CANCEL_HELP = `
Examples:
  tessera ps
  tessera cancel 0f3c2d9e-5a67-4d0c-9b1e-2f4c1f7f0a55

Any node can be asked, whichever runs the query. Exit codes: 0 cancelled, 1 no node runs such a query.`;

/** `tessera nodes`: who belongs to the engine and how each is. */
export const nodesCommand = (): Command =>
  statement('nodes', 'Show the nodes of the engine.')
    .addHelpText('after', NODES_HELP)
    .action((flags: Flags) => run(NODES, flags));

/** `tessera ps`: what runs on all nodes. */
export const psCommand = (): Command =>
  statement('ps', 'Show the queries that run, on all nodes.')
    .addHelpText('after', PS_HELP)
    .action((flags: Flags) => run(RUNNING, flags, { query_label: PS_LABEL }));

/** `tessera cancel`: ends a query, on whichever node it runs. */
export const cancelCommand = (): Command =>
  statement('cancel', 'Cancel a query, on whichever node it runs.')
    .argument('<query id>', 'as `tessera ps` tells it')
    .addHelpText('after', CANCEL_HELP)
    .action((queryId: string, flags: Flags) =>
      run(`CANCEL QUERY WHERE query_id = '${queryId.replaceAll("'", "''")}'`, flags),
    );

const statement = (name: string, description: string): Command =>
  withServerOptions(new Command(name).description(description), ' of any node')
    .option('--format <format>', `${FORMAT_NAMES.join(', ')} (default: psql on a terminal, tsv elsewhere)`)
    .allowExcessArguments(false);

async function run(sql: string, flags: Flags, settings: Record<string, string> = {}): Promise<void> {
  const server = await serverOf(flags);
  const query = { server, sql, files: [], format: flags.format, database: undefined, settings };
  await runQuery(query, process, interruption());
}
