import { resolve } from 'node:path';
import { defaultConfig, loadConfig } from '@tessera/config';
import { Command } from 'commander';
import { interruption } from './interruption.ts';

interface Flags {
  config?: string;
  dataDir: string;
  apply?: true;
  clusterTlsCa?: string;
  clusterTlsCert?: string;
  clusterTlsKey?: string;
}

const EXAMPLES = `
Examples:
  tessera repair --config tessera.yaml            report what is missing; change nothing
  tessera repair --config tessera.yaml --apply    remove the tablets whose objects are missing

Use it when queries fail with OBJECT_NOT_FOUND. It compares the catalog with the objects in the store and reports the
tables, tablets and rows that are lost. With --apply those tablets are removed from the catalog: the other rows can be
read again, the lost ones are gone for good. Nodes of a cluster may run meanwhile (give it their TESSERA_CLUSTER_TOKEN); a
node without a storage block, or without others, must be stopped first.`;

export function repairCommand(): Command {
  return new Command('repair')
    .description('Report tablets whose objects are missing from the store, and remove them.')
    .option('-c, --config <file>', 'configuration file (YAML or JSON)')
    .option('--data-dir <dir>', 'where tables stand when the configuration names no storage', 'tessera-data')
    .option('--apply', 'remove what is lost from the catalog; without it nothing is changed')
    .option('--cluster-tls-ca <file>', 'authority of the certificates that nodes show each other (PEM)')
    .option('--cluster-tls-cert <file>', 'certificate to show to nodes (PEM)')
    .option('--cluster-tls-key <file>', 'its key (PEM)')
    .allowExcessArguments(false)
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Flags) => {
      const loaded = flags.config === undefined ? undefined : await loadConfig(flags.config);
      const { clusterTlsCa: ca, clusterTlsCert: certificate, clusterTlsKey: key } = flags;
      const { repair } = await import('../repair.ts');
      const lines = await repair({
        config: loaded?.config ?? defaultConfig(),
        dataDirectory: resolve(flags.dataDir),
        apply: flags.apply === true,
        clusterTls: { ca, certificate, key },
        signal: interruption(),
      });
      process.stdout.write(`${lines.join('\n')}\n`);
    });
}
