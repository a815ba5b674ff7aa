import { describe, expect, it } from 'vitest';
import { FRACTIONAL } from './offset-zone.ts';
import { milliseconds, shownTime } from './parameter-kinds.ts';
import { openSessionParameters } from './session-parameters.ts';
import { startupOptions } from './startup-options.ts';

const opened = (startup: Readonly<Record<string, string>> = {}) =>
  openSessionParameters(new Map(Object.entries(startup)), { user: 'alice', isSuperuser: false });

describe('parameters of a session', () => {
  it.each([
    ['statement_timeout', '1500', '1500ms'],
    ['statement_timeout', '2 min', '2min'],
    ['DateStyle', 'iso, dmy', 'ISO, DMY'],
    ['CLIENT_ENCODING', "'utf-8'", 'UTF8'],
    ['timezone', 'europe/berlin', 'Europe/Berlin'],
    ['timezone', 'GMT-08:00', 'Etc/GMT-8'],
    ['timezone', 'utc+5', 'Etc/GMT+5'],
    ['timezone', '+02:00', 'Etc/GMT+2'],
    ['timezone', '-02:00', 'Etc/GMT-2'],
    ['timezone', '<+02>-02', 'Etc/GMT-2'],
    ['timezone', '5', 'Etc/GMT-5'],
    ['timezone', '-5', 'Etc/GMT+5'],
    ['timezone', '+0000', 'UTC'],
    ['timezone', 'GMT-05:30', 'Asia/Calcutta'],
    ['timezone', '<+0545>-05:45', 'Asia/Katmandu'],
    ['timezone', '-9.5', 'Pacific/Marquesas'],
    ['extra_float_digits', '3', '3'],
    ['default_transaction_read_only', 'true', 'on'],
    ['transaction_isolation', 'read committed', 'repeatable read'],
    ['search_path', '', ''],
    ['search_path', '"$user", public, sales', '"$user", public, sales'],
    ['max_result_rows', '10', '10'],
    ['standard_conforming_strings', 'off', 'off'],
    ['my.own', 'x', 'x'],
  ])('%s accepts %s', (name, value, shown) => {
    const parameters = opened();
    parameters.set(name, value, { local: false });
    expect(parameters.show(name)).toBe(shown);
    parameters.reset(name);
    expect(parameters.show(name)).toBe(opened().show(name));
  });

  it.each([
    ['DateStyle', 'German'],
    ['bytea_output', 'escape'],
    ['transaction_isolation', 'serializable'],
    ['search_path', 'sales, public'],
    ['server_version', '1'],
    ['session_authorization', 'root'],
    ['statement_timeout', 'soon'],
    ['timezone', 'GMT-05:31'],
    ['timezone', '+02:30'],
    ['timezone', '-5.5'],
    ['timezone', '15'],
    ['timezone', '+13:00'],
    ['nonsense', '1'],
  ])('%s does not accept %s', (name, value) => {
    expect(() => opened().set(name, value, { local: false })).toThrow();
  });

  it('are reset to the values from the start of the connection', () => {
    const parameters = opened({ application_name: 'a', options: '-c my.x=1' });
    parameters.set('application_name', 'b', { local: false });
    parameters.resetAll();
    expect([parameters.show('application_name'), parameters.show('my.x')]).toEqual(['a', '1']);
  });

  it('are kept or undone with their transaction', () => {
    const parameters = opened();
    parameters.begin();
    parameters.set('application_name', 'kept', { local: false });
    parameters.set('application_name', 'local', { local: true });
    expect(parameters.show('application_name')).toBe('local');
    parameters.end('committed');
    expect(parameters.show('application_name')).toBe('kept');
    parameters.begin();
    parameters.set('application_name', 'lost', { local: false });
    parameters.end('before');
    expect(parameters.show('application_name')).toBe('kept');
  });

  it('are reported once when they have changed', () => {
    const parameters = opened();
    parameters.set('TimeZone', 'Europe/Berlin', { local: false });
    parameters.set('work_mem', '1GB', { local: false });
    expect(parameters.takeChanged()).toEqual([['TimeZone', 'Europe/Berlin']]);
    expect(parameters.takeChanged()).toEqual([]);
  });
});

it('options of a connection have the syntax of a command line', () => {
  expect(startupOptions('-c a=1 -cb=2  --c-d=3\\ 4')).toEqual([
    ['a', '1'],
    ['b', '2'],
    ['c_d', '3 4'],
  ]);
  for (const wrong of ['-x', '-c', '-c novalue']) expect(() => startupOptions(wrong)).toThrow();
});

it('times are read with units and shown in the largest that fits', () => {
  expect(['5', '5s', '1.5min', '2h', '1d', 'x', '-1'].map(milliseconds)).toEqual([
    ...[5, 5_000, 90_000, 7_200_000, 86_400_000],
    ...[undefined, undefined],
  ]);
  expect([0, 5, 5_000, 90_000, 86_400_000].map(shownTime)).toEqual(['0', '5ms', '5s', '90s', '1d']);
});

it.each([...FRACTIONAL])(
  '%i minutes: the zone has had this offset since the date',
  (minutes, { name, since }) => {
    const format = new Intl.DateTimeFormat('en', { timeZone: name, timeZoneName: 'longOffset' });
    const offsetAt = (time: number) =>
      format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value;
    const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
    const offset = `GMT${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${rest}`;
    const start = Date.parse(since);
    const weeks = Array.from({ length: 52 * 150 }, (_, i) => start + 86_400_000 * 7 * (i + 1));
    expect(weeks.filter((time) => offsetAt(time) !== offset)).toEqual([]);
  },
);
