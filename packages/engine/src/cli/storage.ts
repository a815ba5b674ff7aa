import { resolve } from 'node:path';
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
makes of its object store, on objects of its own below check/, and says which of them fail and which permission they
need. Exits with 0 if the store can be used, otherwise with 1.`;

export function storageCommand(): Command {
  return new Command('storage')
    .description('Check the object store of a configuration.')
    .addCommand(checkCommand())
    .addHelpText('after', EXAMPLES);
}

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
      let failures = 0;
      try {
        const signal = interruption();
        for await (const { call, problem, needs } of checkStore(
          store,
          providerOf(config, storageIsLocal(config)),
          { signal },
        )) {
          if (problem !== undefined) failures += 1;
          process.stdout.write(
            problem === undefined
              ? `  ok      ${call}\n`
              : `  FAILED  ${call}: ${problem}\n          needs ${needs}\n`,
          );
        }
      } finally {
        await store.close();
      }
      if (failures > 0)
        throw new CommandFailure(
          EXIT.failed,
          `The engine cannot use this store: ${failures} of its calls failed.`,
        );
      process.stdout.write('The engine can use this store.\n');
    });
}
