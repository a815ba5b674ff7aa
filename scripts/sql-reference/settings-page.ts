import {
  DEFAULT_SETTINGS,
  expectedOfSetting,
  SETTING_MEANINGS,
  SETTING_NAMES,
} from '../../packages/coordinator/src/index.ts';

/** What `SET`, `WITH (…)` and the query string take. */
export const settingsPage = (): string =>
  [
    '# Settings',
    '',
    'What a statement runs under. A setting is given for one statement or for all that follow:',
    '',
    '| where | how | for |',
    '|---|---|---|',
    '| in the statement | `SELECT … WITH (max_result_rows = 10)`, at its end | this statement |',
    '| HTTP | `?max_result_rows=10` in the query string | this request |',
    '| command line | `tessera query --setting max_result_rows=10` | this query |',
    '| PostgreSQL connection | `SET max_result_rows = 10` (`SET LOCAL`, `RESET`, `SHOW`) | the connection |',
    '',
    '`SET` over HTTP answers with what the client is to send from then on: [http-api.md](../http-api.md#results). A name that is no setting',
    'is the error `UNKNOWN_SETTING`. PostgreSQL’s own parameters: [postgres.md](../postgres.md#parameters).',
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
