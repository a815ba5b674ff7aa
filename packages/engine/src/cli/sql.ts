import { Command, Option } from 'commander';
import { CommandFailure, EXIT } from './exit-code.ts';
import { type ServerFlags, serverOf, withServerOptions } from './server-options.ts';
import { startEmbeddedEngine } from './shell/embedded-engine.ts';
import type { ShellFlags } from './shell/run-shell.ts';

interface Flags extends Omit<ServerFlags, 'url'>, ShellFlags {
  readonly url?: string;
}

const EXAMPLES = `
Examples:
  tessera                                                     start an engine and a shell
  tessera sql trips.csv                                       query a file: SELECT * FROM trips;
  tessera sql trips.csv -c 'SELECT count(*) FROM trips'       print the result and end
  tessera sql --data-dir ./my-tables                          keep the tables
  tessera sql -u https://tessera.example.com:3473 --user alice
  tessera sql --format csv < report.sql > report.csv

Without --url and TESSERA_URL, an engine is started for this shell. Its tables are gone when the shell ends, unless
--data-dir is given. In the shell, \\? lists its commands.`;

export function sqlCommand(): Command {
  const command = new Command('sql')
    .description('Open a shell on its own engine, or on a running one (the default command on a terminal).')
    .argument('[files...]', 'files to query by their names without the extension');
  return withServerOptions(command, '', { url: '', help: 'an engine of its own' })
    .option('--data-dir <dir>', 'directory for the tables of its own engine (default: a temporary one)')
    .option('-c, --command <sql>', 'run these statements and end')
    .addOption(
      new Option('--format <format>', 'format of results (default: box)').choices([
        'box',
        'markdown',
        'vertical',
        'csv',
        'json',
        'jsonl',
      ]),
    )
    .option('-d, --database <name>', 'database to use')
    .addOption(
      new Option('--on-error <what>', 'what a script does after an error')
        .choices(['stop', 'continue'])
        .default('stop'),
    )
    .addHelpText('after', EXAMPLES)
    .action(async (files: string[], flags: Flags) => {
      if (flags.url && flags.dataDir !== undefined)
        throw new CommandFailure(
          EXIT.usage,
          'error: --data-dir is for an engine of its own, --url for a running one',
        );
      const server = flags.url ? await serverOf({ ...flags, url: flags.url }) : undefined;
      // The engine starts while the shell is loaded.
      const engine = server ?? startEmbeddedEngine(flags.dataDir);
      // The shell is imported here so that the other commands start without loading it.
      const { runShell } = await import('./shell/run-shell.ts');
      await runShell(engine, files, flags);
    });
}
