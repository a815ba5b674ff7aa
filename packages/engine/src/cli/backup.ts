import { resolve } from 'node:path';
import { Command } from 'commander';
import type { CopyCommand } from '../backup.ts';
import { type ClusterTlsFlags, clusterTlsOf, withClusterTls } from './cluster-tls-flags.ts';
import { interruption } from './interruption.ts';
import { commandConfig } from './load-config.ts';
import { wholeNumber } from './numbers.ts';

interface Flags extends ClusterTlsFlags {
  config?: string;
  dataDir: string;
  to: string;
  from: string;
  check?: true;
  concurrency: number;
}

const BACKUP_EXAMPLES = `
Examples:
  tessera backup --config tessera.yaml --to /backups/monday
  tessera backup --config tessera.yaml --to s3://company-backups/tessera/monday
  tessera backup --data-dir tessera-data --to /backups/monday

Nodes can keep running. The backup contains one committed version of the catalog and all objects that it refers to. A URL
is accessed with the credentials and endpoint of the storage in the configuration. A second backup to the same place
copies only what is new and replaces the first one when it is complete; an interrupted backup can be resumed by running
it again. Provide the cluster token or certificate of the nodes (TESSERA_CLUSTER_TOKEN and similar), so that the leader
does not garbage-collect objects while they are copied.`;

const RESTORE_EXAMPLES = `
Examples:
  tessera restore --config restored.yaml --from s3://company-backups/tessera/monday
  tessera restore --data-dir tessera-data --from /backups/monday
  tessera restore --check --from /backups/monday

The target store must be empty and not in use by any node: set another instance.id, bucket or data directory in the
configuration. The checksum of every object is verified. An interrupted restore can be resumed by running it again.`;

const DEFAULT_CONCURRENCY = 8;

export function backupCommand(): Command {
  return withClusterTls(
    withCommonOptions(new Command('backup'))
      .description('Back up all tables, at one version, to a directory or a bucket.')
      .requiredOption(
        '--to <place>',
        'a directory, or s3://bucket/prefix, gs://…, azure://account/container/…',
      ),
    'for connections to nodes',
  )
    .addHelpText('after', BACKUP_EXAMPLES)
    .action(async (flags: Flags) => {
      const { backUp } = await import('../backup.ts');
      tell(await backUp({ ...(await copyCommand(flags, flags.to)), clusterTls: clusterTlsOf(flags) }));
    });
}

export function restoreCommand(): Command {
  return withCommonOptions(new Command('restore'))
    .description('Restore a backup into an empty store.')
    .requiredOption('--from <place>', 'location of the backup: a directory or a URL')
    .option('--check', 'only read the backup and verify its checksums')
    .addHelpText('after', RESTORE_EXAMPLES)
    .action(async (flags: Flags) => {
      const { checkBackup, restore } = await import('../backup.ts');
      const command = await copyCommand(flags, flags.from);
      tell(await (flags.check === true ? checkBackup(command) : restore(command)));
    });
}

const withCommonOptions = (command: Command): Command =>
  command
    .option('-c, --config <file>', 'configuration file (YAML or JSON)')
    .option(
      '--data-dir <dir>',
      'directory of the tables if the configuration names no storage',
      'tessera-data',
    )
    .option(
      '--concurrency <n>',
      'number of objects copied at the same time',
      wholeNumber(1, 256),
      DEFAULT_CONCURRENCY,
    )
    .allowExcessArguments(false);

async function copyCommand(flags: Flags, place: string): Promise<CopyCommand> {
  const { config } = await commandConfig(flags.config);
  return {
    config,
    dataDirectory: resolve(flags.dataDir),
    place,
    concurrency: flags.concurrency,
    signal: interruption(),
    onProgress: ({ objects, total, bytes }) => {
      if (process.stderr.isTTY) process.stderr.write(`\r${objects} of ${total} objects, ${bytes} bytes `);
    },
  };
}

function tell(lines: readonly string[]): void {
  if (process.stderr.isTTY) process.stderr.write('\n');
  process.stdout.write(`${lines.join('\n')}\n`);
}
