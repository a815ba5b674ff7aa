import {
  DEFAULT_SETTINGS,
  expectedOfSetting,
  SETTING_MEANINGS,
  SETTING_NAMES,
} from '../../packages/coordinator/src/index.ts';

/** The values that `SET`, `WITH (…)` and the query string accept. */
export const settingsPage = (): string =>
  [
    '# Settings',
    '',
    'Settings change how a statement is executed. Set them for one statement or for all that follow:',
    '',
    '| where | how | applies to |',
    '|---|---|---|',
    '| in the statement | `SELECT … WITH (max_result_rows = 10)`, at its end | this statement |',
    '| HTTP | `?max_result_rows=10` in the query string | this request |',
    '| command line | `tessera query --setting max_result_rows=10` | this query |',
    '| PostgreSQL connection | `SET max_result_rows = 10` (`SET LOCAL`, `RESET`, `SHOW`) | the connection |',
    '',
    'Over HTTP, the response to `SET` tells the client what to send from then on: [http-api.md](../http-api.md#results). An unknown name',
    'fails with `UNKNOWN_SETTING`. For PostgreSQL’s own parameters, see [postgres.md](../postgres.md#parameters).',
    '',
    '| setting | default | value | meaning |',
    '|---|---|---|---|',
    ...SETTING_NAMES.map(
      (name) =>
        `| \`${name}\` | ${shown(DEFAULT_SETTINGS[name])} | ${expectedOfSetting(name)} | ${SETTING_MEANINGS[name]} |`,
    ),
    '',
  ].join('\n');

const shown = (value: string | number | boolean): string => (value === '' ? '' : `\`${value}\``);
