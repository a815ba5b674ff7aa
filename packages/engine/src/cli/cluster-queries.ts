import { Command } from 'commander';
import { interruption } from './interruption.ts';
import { FORMAT_NAMES } from './query/output-format.ts';
import { type ServerFlags, serverOf, withServerOptions } from './server-options.ts';

interface Flags extends ServerFlags {
  readonly format?: string;
}

/** The label by which `tessera ps` recognises its own query. */
const PS_LABEL = 'tessera ps';

const NODES = `
  SELECT node_name, status, version, started, reason
  FROM information_schema.nodes
  ORDER BY engine_name, node_name`;

const RUNNING = `
  SELECT query_id, node_name, user_name, CAST(duration_us / 1000 AS BIGINT) AS duration_ms,
    CASE WHEN stages > 0 THEN stages_finished || '/' || stages END AS stages, percent, query_label, query_text
  FROM information_schema.engine_running_queries
  WHERE query_label <> '${PS_LABEL}'
  ORDER BY submitted_time`;

const NODES_HELP = `
Examples:
  tessera nodes
  tessera nodes -u http://10.0.0.1:3473 --format jsonlines

You can ask any node; it shows its own view of the others. A node that does not respond is LOST. A node that cannot work
with the one you asked (a different version or token) is REFUSED; the reason is shown.`;

const PS_HELP = `
Examples:
  tessera ps
  tessera ps -u http://10.0.0.1:3473 --format csv

You can ask any node; it shows the queries of all nodes.`;

const CANCEL_HELP = `
Examples:
  tessera ps
  tessera cancel 0f3c2d9e-5a67-4d0c-9b1e-2f4c1f7f0a55

You can ask any node, whichever node runs the query. Exit codes: 0 cancelled, 1 no such query is running.`;

/** `tessera nodes`: lists the nodes of the engine and their status. */
export const nodesCommand = (): Command =>
  statement('nodes', 'Show the nodes of the engine.')
    .addHelpText('after', NODES_HELP)
    .action((flags: Flags) => run(NODES, flags));

/** `tessera ps`: lists the running queries of all nodes. */
export const psCommand = (): Command =>
  statement('ps', 'Show the running queries of all nodes.')
    .addHelpText('after', PS_HELP)
    .action((flags: Flags) => run(RUNNING, flags, { query_label: PS_LABEL }));

/** `tessera cancel`: cancels a query on any node. */
export const cancelCommand = (): Command =>
  statement('cancel', 'Cancel a query on any node.')
    .argument('<query id>', 'query id as shown by `tessera ps`')
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
  // The client is imported here so that the other commands start without loading it.
  const { runQuery } = await import('./query/run-query.ts');
  await runQuery(query, process, interruption());
}
