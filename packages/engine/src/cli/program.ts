import { TesseraError } from '@tessera/common';
import { Command, CommanderError } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { backupCommand, restoreCommand } from './backup.ts';
import { broadcastCommand } from './broadcast.ts';
import { cancelCommand, nodesCommand, psCommand } from './cluster-queries.ts';
import { configCommand } from './config.ts';
import { devClusterCommand } from './dev-cluster.ts';
import { CommandFailure, EXIT } from './exit-code.ts';
import { metadataCommand } from './metadata.ts';
import { queryCommand } from './query.ts';
import { repairCommand } from './repair.ts';
import { serveCommand } from './serve.ts';
import { sqlCommand } from './sql.ts';
import { storageCommand } from './storage.ts';

const EXAMPLES = `
Examples:
  tessera                                            open a shell with an engine of its own
  tessera sql trips.csv                              query a file in a shell
  tessera serve                                      run a node, no configuration needed
  tessera query 'SELECT 42'                          send it a statement
  tessera query -f sales=sales.parquet "SELECT * FROM read_parquet('upload://sales') LIMIT 10"
  tessera dev-cluster --nodes 3                      run a trial cluster on this machine
  tessera config check tessera.yaml                  validate a configuration file

Help for a command: tessera help query`;

/** Runs the command line (without the program's own name) and resolves to the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const program = new Command('tessera')
    .description('Tessera, a distributed SQL engine.')
    .version(manifest.version, '-V, --version', 'print the version')
    .addHelpText('after', EXAMPLES)
    .showHelpAfterError('(see tessera --help)')
    .addCommand(serveCommand())
    .addCommand(sqlCommand())
    .addCommand(queryCommand())
    .addCommand(nodesCommand())
    .addCommand(psCommand())
    .addCommand(cancelCommand())
    .addCommand(devClusterCommand())
    .addCommand(metadataCommand())
    .addCommand(broadcastCommand())
    .addCommand(backupCommand())
    .addCommand(restoreCommand())
    .addCommand(repairCommand())
    .addCommand(configCommand())
    .addCommand(storageCommand());
  for (const command of everyCommand(program)) command.exitOverride();
  try {
    await program.parseAsync(opensShell(args) ? ['sql'] : args, { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    return await exitCodeOf(error);
  }
}

/** `tessera` alone on a terminal opens a shell; elsewhere it prints its help. */
const opensShell = (args: readonly string[]): boolean =>
  args.length === 0 && process.stdin.isTTY === true && process.stdout.isTTY === true;

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

async function exitCodeOf(error: unknown): Promise<number> {
  // Commander has already printed its message; its exit code 0 stands for --help and --version.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof CommandFailure) return report(error.message, error.exitCode);
  if (error instanceof TesseraError) return report(`error: ${error.message}`, EXIT.failed);
  const { ConfigError } = await import('@tessera/config');
  if (error instanceof ConfigError) return report(error.message, EXIT.usage);
  if (isSystemError(error)) return report(`error: ${error.message}`, EXIT.failed);
  throw error;
}

function report(message: string, exitCode: number): number {
  if (message !== '') process.stderr.write(`${message}\n`);
  return exitCode;
}

/** Whether the operating system caused the error, such as a log file that cannot be opened. It is reported without a stack. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
