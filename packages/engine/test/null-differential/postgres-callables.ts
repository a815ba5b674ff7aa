import type pg from 'pg';

/** A function or operator of PostgreSQL whose argument types the engine has too. */
export interface Callable {
  /** The signature: `substr(text, integer)`, `integer + integer`. */
  readonly signature: string;
  readonly types: readonly string[];
  /** `f` for a function or an operator, `a` for an aggregate, `w` for a window function. */
  readonly kind: string;
  /** The call with the SQL of its arguments. */
  call(args: readonly string[]): string;
}

/** A representative value of each type. */
export const TYPICAL: Readonly<Record<string, string>> = {
  text: "'b'",
  integer: '2',
  bigint: '3',
  real: '1.5',
  'double precision': '0.5',
  numeric: '1.25',
  boolean: 'true',
  date: "'2024-02-29'",
  'timestamp without time zone': "'2024-02-29 10:11:12'",
  'timestamp with time zone': "'2024-02-29 10:11:12+00'",
  interval: "'2 days'",
  bytea: "'\\x6162'",
  'text[]': "'{a,b}'",
  'integer[]': "'{1,2}'",
};

/** The types that replace polymorphic parameters. */
const POLYMORPHIC: Readonly<Record<string, string>> = {
  anyelement: 'integer',
  anynonarray: 'integer',
  anyarray: 'integer[]',
  anycompatible: 'integer',
  anycompatiblearray: 'integer[]',
  '"any"': 'text',
};

const KINDS: Readonly<Record<string, (call: string) => string>> = {
  f: (call) => call,
  a: (call) => call,
  w: (call) => `${call} OVER ()`,
};

/**
 * Everything in `pg_catalog` that can be called with arguments of these types, except functions with side
 * effects or results that depend on the server.
 */
export async function postgresCallables(client: pg.Client): Promise<readonly Callable[]> {
  const { rows: functions } = await client.query<{
    name: string;
    kind: string;
    args: string;
    variadic: string;
  }>(`
    SELECT proname AS name, prokind AS kind, provariadic::regtype::text AS variadic,
      array_to_string(ARRAY(SELECT format_type(t, NULL) FROM unnest(proargtypes) t), '|') AS args
    FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND NOT proretset AND provolatile <> 'v'
      AND pronargs BETWEEN 1 AND 4 AND prokind IN ('f', 'a', 'w') ORDER BY 1, 3`);
  const { rows: operators } = await client.query<{ name: string; left: string; right: string }>(`
    SELECT oprname AS name, format_type(oprleft, NULL) AS left, format_type(oprright, NULL) AS right
    FROM pg_operator WHERE oprnamespace = 'pg_catalog'::regnamespace ORDER BY 1, 2, 3`);
  const calls = functions.flatMap(({ name, kind, args, variadic }) => {
    const declared = args.split('|');
    const last = variadic === '-' ? [] : [variadic, variadic];
    const types = known([...(variadic === '-' ? declared : declared.slice(0, -1)), ...last]);
    if (types === undefined || (kind === 'w') !== WINDOW_ONLY.has(name)) return [];
    const call = (values: readonly string[]) => KINDS[kind]!(`${name}(${values.join(', ')})`);
    return [{ signature: `${name}(${types.join(', ')})`, types, kind, call }];
  });
  const operations = operators.flatMap(({ name, left, right }) => {
    const types = known(left === '-' ? [right] : [left, right]);
    if (types === undefined) return [];
    const call = (values: readonly string[]) =>
      values.length === 1 ? `(${name} ${values[0]})` : `(${values[0]} ${name} ${values[1]})`;
    return [{ signature: call(types).slice(1, -1), types, kind: 'f', call }];
  });
  return [...new Map([...calls, ...operations].map((one) => [one.signature, one])).values()];
}

const WINDOW_ONLY: ReadonlySet<string> = new Set([
  'ntile',
  'lag',
  'lead',
  'first_value',
  'last_value',
  'nth_value',
]);

function known(declared: readonly string[]): readonly string[] | undefined {
  const types = declared.map((type) => POLYMORPHIC[type] ?? type);
  return types.every((type) => Object.hasOwn(TYPICAL, type)) ? types : undefined;
}
