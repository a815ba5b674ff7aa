import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TESSERA } from '../../command-name.ts';
import { CommandFailure, EXIT } from '../exit-code.ts';
import { DevCluster } from './dev-cluster.ts';
import type { DevClusterOptions } from './dev-cluster-options.ts';

/**
 * Runs a cluster until Ctrl-C, SIGTERM, or until no node is left. Removes everything afterwards, except a
 * directory that was named.
 */
export async function runDevCluster(options: DevClusterOptions): Promise<void> {
  const { directory: kept, json, ...parts } = options;
  const asked = stopAsked();
  await using resources = new AsyncDisposableStack();
  const directory = kept ?? (await mkdtemp(join(tmpdir(), 'tessera-dev-cluster-')));
  if (kept === undefined) resources.defer(() => rm(directory, { recursive: true, force: true }));
  const tell = (line: string) => process.stderr.write(`${line}\n`);
  tell(`Starting ${options.nodes} nodes …`);
  const signal = asked.signal;
  const cluster = await DevCluster.start({ ...parts, directory, tell, signal }).catch((error: Error) => {
    if (signal.aborted) return undefined;
    throw new CommandFailure(EXIT.failed, `error: ${error.message}`);
  });
  if (cluster === undefined) return;
  resources.use(cluster);
  process.stdout.write(
    json ? `${JSON.stringify(facts(cluster, directory))}\n` : announcement(cluster, directory),
  );
  const allGone = await Promise.race([asked.once.then(() => false), cluster.allGone.then(() => true)]);
  if (allGone) throw new CommandFailure(EXIT.failed, 'error: no node is left');
  tell('Stopping …');
  void asked.twice.then(() => cluster.kill());
}

function stopAsked(): {
  readonly signal: AbortSignal;
  readonly once: Promise<void>;
  readonly twice: Promise<void>;
} {
  const stop = new AbortController();
  const [once, twice] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const asked = () => {
    (stop.signal.aborted ? twice : once).resolve();
    stop.abort();
  };
  process.on('SIGINT', asked);
  process.on('SIGTERM', asked);
  return { signal: stop.signal, once: once.promise, twice: twice.promise };
}

const facts = (cluster: DevCluster, directory: string) => ({
  store: cluster.storeEndpoint,
  config: cluster.configPath,
  directory,
  ...(cluster.login && { user: cluster.login.user, password: cluster.login.password }),
  nodes: cluster.nodes,
});

function announcement(cluster: DevCluster, directory: string): string {
  const [first] = cluster.nodes;
  const { login } = cluster;
  const port = first!.postgres.split(':')[1];
  const rows = cluster.nodes.map(
    ({ index, url, postgres, pid, name }) =>
      `  ${String(index).padEnd(5)} ${url.padEnd(24)} ${postgres.padEnd(17)} ${String(pid).padEnd(8)} ${name}`,
  );
  return [
    '',
    `  ${cluster.nodes.length} nodes of Tessera are ready.`,
    '',
    `  ${'node'.padEnd(5)} ${'statements go to'.padEnd(24)} ${'PostgreSQL'.padEnd(17)} ${'process'.padEnd(8)} name`,
    ...rows,
    '',
    `  object store   ${cluster.storeEndpoint}`,
    `  configuration  ${cluster.configPath}`,
    `  logs           ${join(directory, 'node-*.log')}`,
    ...(login ? [`  administrator  ${login.user}, password ${login.password}`] : []),
    '',
    '  Try:',
    ...(login
      ? [
          `    export TESSERA_USER=${login.user} TESSERA_PASSWORD=${login.password}`,
          `    ${TESSERA} query -u ${first!.url} "CREATE USER alice PASSWORD 'a secret of alice'"`,
          `    psql -h 127.0.0.1 -p ${port} -U alice tessera`,
        ]
      : [
          `    curl ${first!.url} --data-binary "SELECT node_name, status FROM information_schema.nodes"`,
          `    psql -h 127.0.0.1 -p ${port} tessera`,
        ]),
    `    ${TESSERA} nodes -u ${first!.url}`,
    '',
    '  Ctrl-C stops it.',
    '',
    '',
  ].join('\n');
}
