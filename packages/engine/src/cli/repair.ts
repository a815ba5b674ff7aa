import { resolve } from 'node:path';
import { Command } from 'commander';
import { type ClusterTlsFlags, clusterTlsOf, withClusterTls } from './cluster-tls-flags.ts';
import { interruption } from './interruption.ts';
import { commandConfig } from './load-config.ts';

interface Flags extends ClusterTlsFlags {
  config?: string;
  dataDir: string;
  apply?: true;
}

const EXAMPLES = `
Examples:
  tessera repair --config tessera.yaml            report what is missing; change nothing
  tessera repair --config tessera.yaml --apply    remove the tablets whose objects are missing

Use it when queries fail with OBJECT_NOT_FOUND. It compares the catalog with the objects in the store and reports the
tables, tablets and rows that are lost. With --apply these tablets are removed from the catalog: the other rows become
readable again, and the lost rows are gone for good. The nodes of a cluster may keep running (provide their
TESSERA_CLUSTER_TOKEN); a single node, or a node without a storage block, must be stopped first.`;

export function repairCommand(): Command {
  return withClusterTls(
    new Command('repair')
      .description('Report tablets whose objects are missing from the store, and remove them.')
      .option('-c, --config <file>', 'configuration file (YAML or JSON)')
      .option(
        '--data-dir <dir>',
        'directory of the tables if the configuration names no storage',
        'tessera-data',
      )
      .option('--apply', 'remove lost tablets from the catalog (default: only report them)'),
    'for connections to nodes',
  )
    .allowExcessArguments(false)
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Flags) => {
      const { config } = await commandConfig(flags.config);
      const { repair } = await import('../repair.ts');
      const lines = await repair({
        config,
        dataDirectory: resolve(flags.dataDir),
        apply: flags.apply === true,
        clusterTls: clusterTlsOf(flags),
        signal: interruption(),
      });
      process.stdout.write(`${lines.join('\n')}\n`);
    });
}
