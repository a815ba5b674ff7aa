import { fail, nearestName, type SqlLocation } from '@tessera/common';
import { QuotedName, Word } from '../../text/lexer.ts';
import type { TokenCursor } from '../../text/token-cursor.ts';
import type { Options } from '../catalog-statement.ts';

interface GivenOption {
  readonly name: string;
  readonly location: SqlLocation;
  readonly value: string | Options;
}

/** The options that a list may contain. */
export interface OptionNames {
  /** The name of the statement or clause, for messages. */
  readonly of: string;
  readonly values: readonly string[];
  /** Known options that have no effect yet. They are refused instead of being ignored silently. */
  readonly notYet?: readonly string[];
  /** Options whose value is itself a list: `CREDENTIALS = (…)`. */
  readonly groups?: readonly string[];
  /** The first word of a clause that may follow the options. */
  readonly before?: string;
  /** Alternative spellings, each with the option that it means. */
  readonly aliases?: Readonly<Record<string, string>>;
}

export interface ReadOptionList {
  readonly values: Options;
  readonly groups: Readonly<Record<string, Options>>;
  /** The place of each option. */
  readonly locations: Readonly<Record<string, SqlLocation>>;
}

/** `(k = v, …)`. Commas are optional; `k v` is accepted as in PostgreSQL, and `k` alone means true. */
export function parenthesisedOptions(cursor: TokenCursor, names: OptionNames): ReadOptionList {
  cursor.expectSymbol('(');
  const given: GivenOption[] = [];
  while (!cursor.acceptSymbol(')')) {
    given.push(...readOption(cursor, names, true));
    if (!cursor.acceptSymbol(',') && cursor.peek() === undefined) cursor.unexpected('")"');
  }
  return collected(given, names);
}

/** `k = v k = v …` up to the first token that is not an option. Commas are optional. */
export function bareOptions(cursor: TokenCursor, names: OptionNames): ReadOptionList {
  const given: GivenOption[] = [];
  while (isAtName(cursor) && !(names.before !== undefined && cursor.isAt(names.before))) {
    given.push(...readOption(cursor, names, false));
    if (cursor.acceptSymbol(',') && !isAtName(cursor)) cursor.unexpected('an option');
  }
  return collected(given, names);
}

const isAtName = (cursor: TokenCursor): boolean =>
  cursor.peek()?.tokenType === Word || cursor.peek()?.tokenType === QuotedName;

/** Reads the options of one item: `TYPE = (CSV HEADER = true)` contains several. */
function readOption(cursor: TokenCursor, names: OptionNames, isBracketed: boolean): GivenOption[] {
  const start = cursor.offset;
  const written = cursor.expectName('an option').toLowerCase();
  const location = cursor.locationFrom(start);
  const name = names.aliases?.[written] ?? written;
  const isGroup = names.groups?.includes(name) ?? false;
  if (!isGroup && !names.values.includes(name)) {
    const nearest = nearestName(written, [...names.values, ...(names.groups ?? [])])?.toUpperCase();
    const message = `${names.of} has no option ${written.toUpperCase()}${nearest ? ` (did you mean ${nearest}?)` : ''}`;
    fail('INVALID_ARGUMENT', { message }, { location });
  }
  if (names.notYet?.includes(name))
    fail('NOT_SUPPORTED', { what: `The option ${written.toUpperCase()} of ${names.of}` }, { location });
  const hasSign = cursor.acceptSymbol('=');
  if (!hasSign && !isBracketed && !isGroup) cursor.unexpected('"="');
  if (isGroup) return [{ name, location, value: readGroup(cursor) }];
  if (!hasSign && (cursor.isAtSymbol(',') || cursor.isAtSymbol(')')))
    return [{ name, location, value: 'true' }];
  if (name === 'type' && cursor.acceptSymbol('(')) return readFormat(cursor, names, location);
  return [{ name, location, value: cursor.expectValue(`a value for ${written.toUpperCase()}`) }];
}

function readFormat(cursor: TokenCursor, names: OptionNames, location: SqlLocation): GivenOption[] {
  const given: GivenOption[] = [{ name: 'type', location, value: cursor.expectValue('a format') }];
  while (!cursor.acceptSymbol(')')) {
    cursor.acceptSymbol(',');
    if (cursor.peek() === undefined) cursor.unexpected('")"');
    given.push(...readOption(cursor, names, true));
  }
  return given;
}

function readGroup(cursor: TokenCursor): Options {
  const values: Record<string, string> = {};
  cursor.expectSymbol('(');
  while (!cursor.acceptSymbol(')')) {
    const start = cursor.offset;
    const name = cursor.expectName('an option').toLowerCase();
    if (Object.hasOwn(values, name)) givenTwice(name, cursor.locationFrom(start));
    cursor.expectSymbol('=');
    values[name] = cursor.expectValue(`a value for ${name.toUpperCase()}`);
    cursor.acceptSymbol(',');
  }
  return values;
}

function collected(given: readonly GivenOption[], _names: OptionNames): ReadOptionList {
  const values: Record<string, string> = {};
  const groups: Record<string, Options> = {};
  const locations: Record<string, SqlLocation> = {};
  for (const { name, location, value } of given) {
    if (Object.hasOwn(locations, name)) givenTwice(name, location);
    locations[name] = location;
    if (typeof value === 'string') values[name] = value;
    else groups[name] = value;
  }
  return { values, groups, locations };
}

function givenTwice(name: string, location: SqlLocation): never {
  return fail('SYNTAX_ERROR', { message: `Option ${name.toUpperCase()} is specified twice` }, { location });
}

/** The value as an integer that is at least `least`. */
export function wholeNumber(list: ReadOptionList, name: string, least: number): number | undefined {
  const text = list.values[name];
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least) return value;
  const message = `${name.toUpperCase()} takes an integer from ${least}, not ${text}`;
  return fail('INVALID_ARGUMENT', { message }, { location: list.locations[name] });
}

/** The value as true or false. */
export function booleanOption(list: ReadOptionList, name: string): boolean | undefined {
  const text = list.values[name]?.toLowerCase();
  if (text === undefined) return undefined;
  if (['true', 'on', '1'].includes(text)) return true;
  if (['false', 'off', '0'].includes(text)) return false;
  const message = `${name.toUpperCase()} takes TRUE or FALSE, not ${text}`;
  return fail('INVALID_ARGUMENT', { message }, { location: list.locations[name] });
}

/** The value as one of `choices` (upper case). */
export function choiceOption<T extends string>(
  list: ReadOptionList,
  name: string,
  choices: readonly T[],
): T | undefined {
  const text = list.values[name];
  if (text === undefined) return undefined;
  const choice = choices.find((c) => c === text.toUpperCase());
  const message = `${name.toUpperCase()} takes one of ${choices.join(', ')}, not ${text}`;
  return choice ?? fail('INVALID_ARGUMENT', { message }, { location: list.locations[name] });
}
