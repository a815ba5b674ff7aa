import { loadConfig, type ParsedConfig, parseConfig, showConfig, showConfigAsYaml } from '@tessera/config';
import { Command } from 'commander';

const CONFIG_EXAMPLES = `
Examples:
  tessera config check tessera.yaml     what is wrong with a file
  tessera config show                   every parameter with its default

docs/configuration.md has a table of all parameters.`;

const CHECK_EXAMPLES = `
Examples:
  tessera config check tessera.yaml

Prints every violation as FILE:LINE: PARAMETER: WHAT IS WRONG and exits with 2, or nothing is wrong and exits with 0.`;

const SHOW_EXAMPLES = `
Examples:
  tessera config show                             every parameter with its default
  tessera config show tessera.yaml                what the file says
  tessera config show tessera.yaml --defaults     and what it leaves to the defaults
  tessera config show --json | jq .notYetInEffect

Passwords are masked. Parameters that this version accepts but does not act on are marked "not yet in effect".`;

export function configCommand(): Command {
  return new Command('config')
    .description('Check or show a configuration file.')
    .addCommand(checkCommand())
    .addCommand(showCommand())
    .addHelpText('after', CONFIG_EXAMPLES);
}

function checkCommand(): Command {
  return new Command('check')
    .description('Say everything that is wrong with a configuration file.')
    .argument('<file>', 'configuration file (YAML or JSON)')
    .addHelpText('after', CHECK_EXAMPLES)
    .action(async (file: string) => {
      const { warnings } = await loadConfig(file);
      for (const { line, path, message } of warnings)
        process.stderr.write(`${file}:${line}: ${path}: warning: ${message}\n`);
      process.stdout.write(`${file}: no problems found\n`);
    });
}

function showCommand(): Command {
  return new Command('show')
    .description('Print a configuration as the engine understands it.')
    .argument('[file]', 'configuration file; without one, the defaults')
    .option('--defaults', 'also parameters that the file leaves to their defaults')
    .option('--json', 'as JSON: {"config": …, "notYetInEffect": [{"path", "effect"}]}')
    .addHelpText('after', SHOW_EXAMPLES)
    .action(async (file: string | undefined, flags: { defaults?: true; json?: true }) => {
      const parsed: ParsedConfig =
        file === undefined ? parseConfig('schema_version: "1.0"', 'defaults') : await loadConfig(file);
      const shown = showConfig(parsed, { defaults: file === undefined || flags.defaults === true });
      process.stdout.write(
        flags.json
          ? `${JSON.stringify({ config: shown.value, notYetInEffect: shown.notYetInEffect }, null, 2)}\n`
          : showConfigAsYaml(shown),
      );
    });
}
