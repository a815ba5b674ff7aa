import { resolve } from 'node:path';
import type { CheckedCall } from '@tessera/object-store';
import { Command } from 'commander';
import { CommandFailure, EXIT } from './exit-code.ts';
import { interruption } from './interruption.ts';

interface Flags {
  config?: string;
  dataDir: string;
}

const EXAMPLES = `
Examples:
  tessera storage check --config tessera.yaml

Run it where a node would run, with the environment and the identity of the node. It tries each call that the engine
makes of its object store, on objects of its own below check/, and says which of them fail and which
permissions are lacking. Exits with 0 if the store can be used, otherwise with 1.`;

export function storageCommand(): Command {
  return new Command('storage')
    .description('Check the object store of a configuration.')
    .addCommand(checkCommand())
    .addHelpText('after', EXAMPLES);
}

const LABELS = { ok: 'ok     ', failed: 'FAILED ', skipped: 'skipped' };

const lineOf = ({ call, outcome, problem, needs }: CheckedCall): string =>
  [
    `  ${LABELS[outcome]} ${call}${problem === undefined ? '' : `: ${problem}`}\n`,
    needs === undefined ? '' : `          needs ${needs}\n`,
    outcome === 'skipped' ? '          not tried without the permission that is lacking above\n' : '',
  ].join('');

function checkCommand(): Command {
  return new Command('check')
    .description('Make every call that the engine makes to its object store, and report what fails and why.')
    .option('-c, --config <file>', 'configuration file (YAML or JSON)')
    .option(
      '--data-dir <dir>',
      'directory of the tables if the configuration names no storage',
      'tessera-data',
    )
    .allowExcessArguments(false)
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Flags) => {
      const { defaultConfig, loadConfig, storageIsLocal } = await import('@tessera/config');
      const config = flags.config === undefined ? defaultConfig() : (await loadConfig(flags.config)).config;
      const { checkStore, openObjectStore, providerOf } = await import('@tessera/object-store');
      const store = await openObjectStore(config, { dataDirectory: resolve(flags.dataDir) });
      process.stdout.write(`${store.url}\n`);
      const failed: CheckedCall[] = [];
      let skipped = false;
      try {
        const signal = interruption();
        const provider = providerOf(config, storageIsLocal(config));
        for await (const checked of checkStore(store, provider, { signal })) {
          if (checked.outcome === 'failed') failed.push(checked);
          skipped ||= checked.outcome === 'skipped';
          process.stdout.write(lineOf(checked));
        }
      } finally {
        await store.close();
      }
      if (failed.length > 0) {
        const lacking = [...new Set(failed.flatMap(({ needs }) => needs ?? []))];
        const why =
          lacking.length === 0
            ? `${failed.length} of its calls failed`
            : `its identity lacks ${lacking.join('; ')}`;
        const next = skipped ? ' Check again afterwards: some calls were skipped.' : '';
        throw new CommandFailure(EXIT.failed, `The engine cannot use this store: ${why}.${next}`);
      }
      process.stdout.write('The engine can use this store.\n');
    });
}
