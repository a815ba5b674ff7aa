import { resolve } from 'node:path';
import { defaultConfig, loadConfig } from '@tessera/config';
import { Command } from 'commander';
import type { CopyCommand } from '../backup.ts';
import { interruption } from './interruption.ts';
import { wholeNumber } from './numbers.ts';

interface Flags {
  config?: string;
  dataDir: string;
  to: string;
  from: string;
  check?: true;
  concurrency: number;
  clusterTlsCa?: string;
  clusterTlsCert?: string;
  clusterTlsKey?: string;
}

const BACKUP_EXAMPLES = `
Examples:
  tessera backup --config tessera.yaml --to /backups/monday
  tessera backup --config tessera.yaml --to s3://company-backups/tessera/monday
  tessera backup --data-dir tessera-data --to /backups/monday

Nodes go on meanwhile. What is copied is one committed version of the catalog and all that it names. A URL is reached with
the credentials and the endpoint of the configuration's storage. A second backup to the same place copies only what is
new and replaces the first when it is whole; one that was interrupted goes on. Give it the cluster token or certificate
that nodes have (TESSERA_CLUSTER_TOKEN and relatives), so that it can tell the leader not to collect what it copies.`;

const RESTORE_EXAMPLES = `
Examples:
  tessera restore --config restored.yaml --from s3://company-backups/tessera/monday
  tessera restore --data-dir tessera-data --from /backups/monday
  tessera restore --check --from /backups/monday

No node may run on the store yet, and nothing may be in it: give the configuration another instance.id, bucket or data
directory. Every object is compared with its checksum. A restore that was interrupted goes on when it is begun again.`;

const DEFAULT_CONCURRENCY = 8;

export function backupCommand(): Command {
  return withCommonOptions(new Command('backup'))
    .description('Copy all tables, at one version, to a directory or a bucket.')
    .requiredOption('--to <place>', 'a directory, or s3://bucket/prefix, gs://…, azure://account/container/…')
    .option('--cluster-tls-ca <file>', 'authority of the certificates that nodes show each other (PEM)')
    .option('--cluster-tls-cert <file>', 'certificate to show to nodes (PEM)')
    .option('--cluster-tls-key <file>', 'its key (PEM)')
    .addHelpText('after', BACKUP_EXAMPLES)
    .action(async (flags: Flags) => {
      const { backUp } = await import('../backup.ts');
      const { clusterTlsCa: ca, clusterTlsCert: certificate, clusterTlsKey: key } = flags;
      tell(await backUp({ ...(await copyCommand(flags, flags.to)), clusterTls: { ca, certificate, key } }));
    });
}

export function restoreCommand(): Command {
  return withCommonOptions(new Command('restore'))
    .description('Put a backup into an empty store.')
    .requiredOption('--from <place>', 'where the backup is: a directory or a URL')
    .option('--check', 'only read the backup and compare it with its checksums')
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
    .option('--data-dir <dir>', 'where tables stand when the configuration names no storage', 'tessera-data')
    .option('--concurrency <n>', 'objects copied at a time', wholeNumber(1, 256), DEFAULT_CONCURRENCY)
    .allowExcessArguments(false);

async function copyCommand(flags: Flags, place: string): Promise<CopyCommand> {
  const loaded = flags.config === undefined ? undefined : await loadConfig(flags.config);
  return {
    config: loaded?.config ?? defaultConfig(),
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
