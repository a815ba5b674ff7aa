import { nearestName, TesseraError } from '@tessera/common';
import {
  DEFAULT_SETTINGS,
  isSettingName,
  SETTING_NAMES,
  type Settings,
  settingDescription,
  withSettings,
} from '@tessera/coordinator';
import manifest from '../../package.json' with { type: 'json' };
import { zoneOfText } from './offset-zone.ts';
import { milliseconds, PARAMETER_KINDS, shownTime } from './parameter-kinds.ts';
import { startupOptions } from './startup-options.ts';

/** The form that drivers parse: the PostgreSQL version, followed by the product and its version. */
const SERVER_VERSION = `15.0 (Tessera ${manifest.version})`;

/** Start-up parameters that are not session parameters. */
const NOT_SESSION: ReadonlySet<string> = new Set(['user', 'database', 'options', 'replication']);

/** The columns of SHOW ALL. */
export const SHOW_ALL_COLUMNS = ['name', 'setting', 'description'];

interface State {
  /** The values by parameter name in lower case. */
  readonly values: ReadonlyMap<string, string>;
  readonly settings: Settings;
}

/** The value that takes effect if the open transaction commits, and the one if it does not. */
interface Ends {
  readonly committed: State;
  readonly before: State;
}

/** A snapshot of the parameters at one moment of a transaction. */
export interface ParametersMark {
  readonly current: State;
  readonly ends: Ends | undefined;
}

/**
 * The parameters of a connection: those of PostgreSQL and the engine's settings, as SET, SHOW and RESET see
 * them. A rollback undoes the changes of its transaction; SET LOCAL ends with the transaction in any case.
 */
export class SessionParameters {
  readonly #initial: State;
  #current: State;
  #ends: Ends | undefined;
  #told: ReadonlyMap<string, string>;

  constructor(initial: State) {
    this.#initial = initial;
    this.#current = initial;
    this.#told = new Map(this.reported());
  }

  /** The settings under which statements run. */
  get settings(): Settings {
    return this.#current.settings;
  }

  /** @throws TesseraError UNKNOWN_SETTING */
  show(name: string): string {
    return shown(this.#current, requireName(name));
  }

  /** All parameters: name, value, description. */
  all(): (readonly [name: string, value: string, description: string])[] {
    const kept = [...PARAMETER_KINDS.values()].map(
      ({ name, description }) => [name, this.show(name), description] as const,
    );
    const custom = [...this.#current.values.keys()]
      .filter((name) => !PARAMETER_KINDS.has(name))
      .map((name) => [name, this.show(name), ''] as const);
    const settings = SETTING_NAMES.map(
      (name) => [spelled(name), shown(this.#current, name), settingDescription(name)] as const,
    );
    return [...kept, ...custom, ...settings].toSorted(([a], [b]) => a.localeCompare(b, 'en'));
  }

  /**
   * Whether a parameter has a value; false for a custom parameter that the client has not set. @throws
   * TesseraError UNKNOWN_SETTING
   */
  isSet(name: string): boolean {
    const key = requireName(name);
    return isSettingName(key) || this.#current.values.has(key);
  }

  /** @throws TesseraError UNKNOWN_SETTING, INVALID_SETTING */
  set(name: string, value: string, { local }: { readonly local: boolean }): void {
    this.#change((state) => withValue(state, requireName(name), value), local);
  }

  /** @throws TesseraError UNKNOWN_SETTING */
  reset(name: string, { local = false }: { readonly local?: boolean } = {}): void {
    const key = requireName(name);
    this.#change((state) => withInitial(state, key, this.#initial), local);
  }

  resetAll(): void {
    this.#change(() => this.#initial, false);
  }

  #change(change: (state: State) => State, local: boolean): void {
    const next = change(this.#current);
    if (this.#ends === undefined) {
      if (!local) this.#current = next;
      return;
    }
    if (!local) this.#ends = { ...this.#ends, committed: change(this.#ends.committed) };
    this.#current = next;
  }

  begin(): void {
    this.#ends ??= { committed: this.#current, before: this.#current };
  }

  /** The current state, for `backTo`. */
  mark(): ParametersMark {
    return { current: this.#current, ends: this.#ends };
  }

  backTo({ current, ends }: ParametersMark): void {
    this.#current = current;
    this.#ends = ends;
  }

  end(outcome: 'committed' | 'before'): void {
    if (this.#ends === undefined) return;
    this.#current = this.#ends[outcome];
    this.#ends = undefined;
  }

  /** Name and value of the parameters that are reported to clients. */
  reported(): (readonly [string, string])[] {
    return REPORTED.map((name) => [spelled(name), shown(this.#current, name)] as const);
  }

  /** The reported parameters whose values changed since the last report. */
  takeChanged(): (readonly [string, string])[] {
    const now = this.reported();
    const changed = now.filter(([name, value]) => this.#told.get(name) !== value);
    if (changed.length > 0) this.#told = new Map(now);
    return changed;
  }
}

/**
 * The parameters of a new connection. RESET returns to the values of its start-up message.
 * @throws TesseraError UNKNOWN_SETTING, INVALID_SETTING, INVALID_ARGUMENT
 */
export function openSessionParameters(
  startup: ReadonlyMap<string, string>,
  facts: { readonly user: string; readonly isSuperuser: boolean },
): SessionParameters {
  const values = new Map([...PARAMETER_KINDS].map(([key, { initial }]) => [key, initial]));
  values.set('server_version', SERVER_VERSION);
  values.set('session_authorization', facts.user);
  values.set('is_superuser', facts.isSuperuser ? 'on' : 'off');
  let state: State = { values, settings: DEFAULT_SETTINGS };
  const given = [...startupOptions(startup.get('options') ?? ''), ...startup];
  for (const [name, value] of given) {
    if (!NOT_SESSION.has(name)) state = withValue(state, requireName(name), value);
  }
  return new SessionParameters(state);
}

const REPORTED = [
  'server_version',
  'session_authorization',
  'is_superuser',
  'timezone',
  'standard_conforming_strings',
  ...[...PARAMETER_KINDS.values()].filter(({ reported }) => reported).map(({ name }) => name.toLowerCase()),
];

/** Parameters that are reported when a connection begins and that the client cannot set. */
const FIXED: ReadonlySet<string> = new Set(['server_version', 'session_authorization', 'is_superuser']);

const spelled = (key: string): string =>
  key === 'timezone' ? 'TimeZone' : (PARAMETER_KINDS.get(key)?.name ?? key);

function requireName(name: string): string {
  const key = name.toLowerCase();
  // As in PostgreSQL, names with a dot are custom parameters of the client.
  if (isSettingName(key) || PARAMETER_KINDS.has(key) || FIXED.has(key) || key.includes('.')) return key;
  const nearest = nearestName(key, [...SETTING_NAMES, ...PARAMETER_KINDS.keys()]);
  throw TesseraError.of('UNKNOWN_SETTING', { name, nearest });
}

function shown({ values, settings }: State, key: string): string {
  if (!isSettingName(key)) return values.get(key) ?? '';
  const value = settings[key];
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return key === 'statement_timeout' ? shownTime(settings.statement_timeout) : String(value);
}

function withValue(state: State, key: string, value: string): State {
  if (isSettingName(key)) {
    return { ...state, settings: withSettings(state.settings, [[key, engineSpelling(key, value)]]) };
  }
  const kind = PARAMETER_KINDS.get(key);
  if (kind?.fixed === true || FIXED.has(key)) {
    throw TesseraError.of('INVALID_ARGUMENT', { message: `Parameter "${key}" cannot be changed` });
  }
  const parsed = kind?.parse === undefined ? value : kind.parse(value);
  if (parsed === undefined) {
    throw TesseraError.of('INVALID_SETTING', {
      name: kind!.name,
      value,
      expected: kind?.expected ?? 'a value',
    });
  }
  return { ...state, values: new Map(state.values).set(key, parsed) };
}

function engineSpelling(key: string, value: string): string {
  if (key === 'statement_timeout') return String(milliseconds(value) ?? value);
  return key === 'timezone' ? zoneOfText(value) : value;
}

function withInitial(state: State, key: string, initial: State): State {
  if (isSettingName(key)) return { ...state, settings: { ...state.settings, [key]: initial.settings[key] } };
  const values = new Map(state.values);
  const value = initial.values.get(key);
  if (value === undefined) values.delete(key);
  else values.set(key, value);
  return { ...state, values };
}
