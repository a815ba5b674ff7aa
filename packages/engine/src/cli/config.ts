import type { ParsedConfig } from '@tessera/config';
import { Command } from 'commander';

const CONFIG_EXAMPLES = `
Examples:
  tessera config check tessera.yaml     validate a file
  tessera config show                   every parameter with its default

docs/configuration.md describes all parameters.`;

const CHECK_EXAMPLES = `
Examples:
  tessera config check tessera.yaml

Prints each problem as FILE:LINE: PARAMETER: PROBLEM and exits with 2. Exits with 0 if there is none.`;

const SHOW_EXAMPLES = `
Examples:
  tessera config show                             every parameter with its default
  tessera config show tessera.yaml                the parameters set in the file
  tessera config show tessera.yaml --defaults     these and all defaults
  tessera config show --json | jq .notYetInEffect

Passwords are masked. Parameters that this version accepts but does not act on are marked "not yet in effect".`;

export function configCommand(): Command {
  return new Command('config')
    .description('Validate or show a configuration file.')
    .addCommand(checkCommand())
    .addCommand(showCommand())
    .addHelpText('after', CONFIG_EXAMPLES);
}

function checkCommand(): Command {
  return new Command('check')
    .description('Report all problems of a configuration file.')
    .argument('<file>', 'configuration file (YAML or JSON)')
    .addHelpText('after', CHECK_EXAMPLES)
    .action(async (file: string) => {
      const { loadConfig } = await import('@tessera/config');
      const { warnings } = await loadConfig(file);
      for (const { line, path, message } of warnings)
        process.stderr.write(`${file}:${line}: ${path}: warning: ${message}\n`);
      process.stdout.write(`${file}: no problems found\n`);
    });
}

function showCommand(): Command {
  return new Command('show')
    .description('Print the configuration that the engine would use.')
    .argument('[file]', 'configuration file (default: none, only default values)')
    .option('--defaults', 'include parameters that have their default value')
    .option('--json', 'print JSON: {"config": …, "notYetInEffect": [{"path", "effect"}]}')
    .addHelpText('after', SHOW_EXAMPLES)
    .action(async (file: string | undefined, flags: { defaults?: true; json?: true }) => {
      const { loadConfig, parseConfig, showConfig, showConfigAsYaml } = await import('@tessera/config');
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
