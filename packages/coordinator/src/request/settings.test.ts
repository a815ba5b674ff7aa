import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS, SETTING_NAMES, settingDescription, withSettings } from './settings.ts';

const set = (name: string, value: string) => withSettings(DEFAULT_SETTINGS, [[name, value]]);

describe('withSettings', () => {
  it.each([
    ['timezone', 'europe/berlin', 'Europe/Berlin'],
    ['STATEMENT_TIMEOUT', '250', 250],
    ['max_result_rows', '0', 0],
    ['cancel_query_on_connection_drop', 'NONE', 'none'],
    ['enable_result_cache', 'off', false],
    ['enable_multi_query_requests', '1', true],
    ['query_label', '', ''],
  ] as const)('%s = %s', (name, text, value) => {
    expect(set(name, text)[name.toLowerCase() as 'timezone']).toBe(value);
  });

  it.each([
    ['timezone', 'Mars/Olympus'],
    ['timezone', '+02:00'],
    ['statement_timeout', '-1'],
    ['statement_timeout', '1.5'],
    ['statement_timeout', ''],
    ['max_threads', '99999999999999999999'],
    ['enable_scan_cache', 'perhaps'],
    ['cancel_query_on_connection_drop', 'some'],
  ])('%s = "%s" is refused with the accepted values', (name, text) => {
    expect(() => set(name, text)).toThrow(expect.objectContaining({ name: 'INVALID_SETTING' }));
    expect(() => set(name, text)).toThrow(new RegExp(`^Setting ${name}: expected .+, got "`));
  });

  it('an unknown name is refused with the nearest one', () => {
    expect(() => set('time_zone', 'UTC')).toThrow('Unknown setting time_zone (did you mean timezone?)');
    expect(() => set('completely_different', '1')).toThrow(
      expect.objectContaining({
        message: 'Unknown setting completely_different',
        resolution: 'SHOW ALL lists the settings.',
      }),
    );
  });

  it('later changes win, and the base is not changed', () => {
    const changed = withSettings(DEFAULT_SETTINGS, [
      ['max_threads', '1'],
      ['max_threads', '2'],
    ]);
    expect(changed.max_threads).toBe(2);
    expect(DEFAULT_SETTINGS.max_threads).toBe(0);
  });

  it('every setting has a description without Markdown', () => {
    for (const name of SETTING_NAMES) expect(settingDescription(name)).toMatch(/^[A-Z][^`[\]]+[^.]\.$/);
    expect(settingDescription('enable_result_cache')).toBe(
      'Whether a query may be answered with the result of an earlier, equal query.',
    );
  });

  it('every default is a value of its own setting', () => {
    for (const name of SETTING_NAMES) {
      expect(set(name, String(DEFAULT_SETTINGS[name]))[name]).toBe(DEFAULT_SETTINGS[name]);
    }
  });
});
