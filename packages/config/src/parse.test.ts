import { describe, expect, it } from 'vitest';
import { ConfigError } from './config-error.ts';
import { defaultConfig } from './load.ts';
import { parseConfig } from './parse.ts';

/** Returns the lines of the error for a file with `schema_version` and this text, which starts on line 2. */
function complaints(text: string): string[] {
  try {
    parseConfig(`schema_version: "1.0"\n${text}`, 'c.yaml');
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n');
    throw error;
  }
  return [];
}
const accepted = (text: string) => parseConfig(`schema_version: "1.0"\n${text}`, 'c.yaml').config;

describe('values', () => {
  it('fills in the defaults in the units of the engine', () => {
    const config = defaultConfig();
    expect(config.engine.termination_grace_period).toBe(60_000);
    expect(config.engine.max_server_memory_usage).toBe(0);
    expect(config.execution.hybrid_headers_primary_index_compression_method).toBe('brotli');
    expect(config.auth.native).toBeNull();
    expect(config.engine.eviction.tablet_ttl_before_full_eviction_seconds).toBe(21_600);
  });

  it('fills in the defaults of an optional block once it is there', () => {
    const { auth } = accepted('auth: {oidc: {}}');
    expect(auth.oidc).toEqual({
      jwt: { clock_skew_tolerance: 30_000, max_token_age: 86_400_000 },
      postgres_password_fallback_enabled: false,
      providers: [],
    });
  });

  it('reads durations, byte sizes and enums', () => {
    const config = accepted(
      'engine: {termination_grace_period: 1.5h, max_server_memory_usage: 2GiB, max_server_memory_usage_headroom_bytes: 1000}\nlogging: {level: WARN}',
    );
    expect(config.engine.termination_grace_period).toBe(5_400_000);
    expect(config.engine.max_server_memory_usage).toBe(2 * 1024 ** 3);
    expect(config.engine.max_server_memory_usage_headroom_bytes).toBe(1_000);
    expect(config.logging.level).toBe('warn');
  });

  it('reads JSON, which is YAML', () => {
    expect(parseConfig('{"schema_version": "1.0", "engine": {"id": "e"}}', 'c.json').config.engine.id).toBe(
      'e',
    );
  });

  it('accepts null where the default is null, and only there', () => {
    expect(accepted('engine: {nodes: null}').engine.nodes).toBeNull();
    expect(complaints('engine: {id: null}')).toEqual([
      'c.yaml:2: engine.id: expected a non-empty string, got nothing',
    ]);
    expect(complaints('engine: {nodes: [null]}')).toEqual([
      'c.yaml:2: engine.nodes[0]: expected a block of parameters, got nothing',
    ]);
  });

  it('accepts a block whose parameters are all commented out', () => {
    expect(accepted('engine:\nlogging:\n  components:')).toEqual(accepted(''));
  });

  it.each([
    ['execution: {max_threads: "four"}', 'execution.max_threads: expected an integer ≥ 0, got "four"'],
    ['execution: {max_threads: "4"}', 'execution.max_threads: expected an integer ≥ 0, got "4"'],
    ['execution: {max_threads: 1.5}', 'execution.max_threads: expected an integer ≥ 0, got 1.5'],
    ['execution: {max_threads: -1}', 'execution.max_threads: expected an integer ≥ 0, got -1'],
    [
      'execution: {max_threads: 9007199254740993}',
      'execution.max_threads: expected an integer ≥ 0, got 9007199254740993',
    ],
    ['execution: {enable_shuffle: yes}', 'execution.enable_shuffle: expected true or false, got "yes"'],
    [
      'engine: {max_server_memory_usage_to_ram_ratio: 1.1}',
      'engine.max_server_memory_usage_to_ram_ratio: expected a number from 0 to 1, got 1.1',
    ],
    [
      'engine: {max_server_memory_usage_to_ram_ratio: .nan}',
      'engine.max_server_memory_usage_to_ram_ratio: expected a number from 0 to 1, got .nan',
    ],
    ['instance: {id: 01JTESSERA}', 'instance.id: expected a ULID (26 characters), got "01JTESSERA"'],
    ['engine: {id: 7}', 'engine.id: expected a non-empty string, got 7 (write it in quotes)'],
    [
      'logging: {level: loud}',
      'logging.level: expected one of trace, debug, info, warn, error, fatal, got "loud"',
    ],
    ['logging: []', 'logging: expected a block of parameters, got a list'],
    ['engine: {nodes: {host: a}}', 'engine.nodes: expected a list of blocks or null, got a block'],
    ['engine: {nodes: [a]}', 'engine.nodes[0]: expected a block of parameters, got "a"'],
    [
      'engine: {nodes: [{}]}',
      'engine.nodes[0].host: is required: hostname or IP address of the node (expected a host name or an IP address)',
    ],
    ['engine: {nodes: [{host: ""}]}', 'engine.nodes[0].host: expected a host name or an IP address, got ""'],
  ])('refuses %s', (text, message) => {
    expect(complaints(text)).toEqual([`c.yaml:2: ${message}`]);
  });

  it('does not print a secret that has the wrong type', () => {
    const [line] = complaints('auth: {native: {initial_user: {name: a, password: 123456}}}');
    expect(line).toContain('auth.native.initial_user.password: expected a non-empty string');
    expect(line).not.toContain('123456');
  });
});

describe('names', () => {
  it('suggests the nearest known name, in its block or elsewhere', () => {
    expect(complaints('engine:\n  nods: []')).toEqual([
      'c.yaml:3: engine.nods: unknown parameter (did you mean nodes?)',
    ]);
    expect(complaints('broadcast_endpoint: a:1')).toEqual([
      'c.yaml:2: broadcast_endpoint: unknown parameter (did you mean engine.multi_cluster.broadcast_endpoint?)',
    ]);
    expect(complaints('planner: {zzz: 1}')).toEqual([
      'c.yaml:2: planner.zzz: unknown parameter (known here: automated_column_statistics)',
    ]);
  });

  it.each(['__proto__', 'constructor', 'toString'])('refuses %s like any unknown name', (name) => {
    expect(complaints(`${name}: {}`)[0]).toContain(`c.yaml:2: ${name}: unknown parameter`);
  });

  it('keeps a name with a line break on one line', () => {
    expect(complaints('"a\\nb": 1')[0]).toContain('c.yaml:2: "a\\nb": unknown parameter');
  });

  it('refuses a name given twice, also in a list', () => {
    expect(complaints('engine:\n  id: a\n  nodes:\n    - host: a\n      host: b\n  id: b')).toEqual([
      'c.yaml:6: engine.nodes[0].host: is already set on line 5',
      'c.yaml:7: engine.id: is already set on line 3',
    ]);
  });
});

describe('the file as a whole', () => {
  const whole = (text: string) => {
    try {
      parseConfig(text, 'c.yaml');
      return 'accepted';
    } catch (error) {
      return (error as Error).message;
    }
  };
  it.each([
    [
      '',
      'c.yaml:1: schema_version: is required: version of the configuration schema (expected the string "1.0")',
    ],
    [
      '# nothing\n',
      'c.yaml:1: schema_version: is required: version of the configuration schema (expected the string "1.0")',
    ],
    ['[]', 'c.yaml:1: expected a block of parameters, got a list'],
    ['schema_version: "2.0"', 'c.yaml:1: schema_version: expected the string "1.0", got "2.0"'],
    [
      'schema_version: 1.0',
      'c.yaml:1: schema_version: expected the string "1.0", got 1.0 (write it in quotes)',
    ],
    ['schema_version: "1.0"\n\tengine: {}', 'c.yaml:2: Tabs are not allowed as indentation'],
    ['--- 1\n--- 2', 'c.yaml:2: the file holds more than one YAML document'],
    ['schema_version: !!js/function x', 'c.yaml:1: Unresolved tag: tag:yaml.org,2002:js/function'],
  ])('the file %j is refused as a whole, or accepted', (text, message) => {
    expect(whole(text)).toBe(message);
  });

  it('refuses aliases that expand without end', () => {
    const bomb = ['a: &a [1,1,1,1,1,1,1,1,1,1]'];
    for (const [name, last] of ['ba', 'cb', 'dc', 'ed'])
      bomb.push(`${name}: &${name} [${Array(10).fill(`*${last}`).join(',')}]`);
    expect(whole(bomb.join('\n'))).toBe(
      'c.yaml:1: Excessive alias count indicates a resource exhaustion attack',
    );
  });

  it('refuses an alias inside what it refers to', () => {
    expect(whole('engine: &e {nodes: [*e]}')).toBe('c.yaml:1: an alias stands inside what it refers to');
  });

  // Earlier, repairing one place of a shared block broke the other one, endlessly.
  it('treats an alias as a copy', () => {
    expect(
      complaints(
        'engine: {multi_cluster: &m {broadcast_endpoint: "a:1"}, auto_vacuum: *m, cluster_id: c, cluster_ordinal: 0}',
      ),
    ).toEqual([
      expect.stringContaining('c.yaml:2: engine.auto_vacuum.broadcast_endpoint: unknown parameter'),
    ]);
  });

  it('reports everything at once, in the order of the lines', () => {
    expect(
      complaints(
        [
          'storage:',
          '  type: minio',
          'engine:',
          '  termination_grace_period: 5',
          '  nodes:',
          '    - shufle_port: 1',
          'execution:',
          '  hybrid_headers_primary_index_compression_level: 12',
          'auth:',
          '  mode: native',
        ].join('\n'),
      ),
    ).toEqual([
      'c.yaml:2: storage.minio: is required when storage.type is minio',
      'c.yaml:5: engine.termination_grace_period: expected a duration (a number with s, m, h or d, such as 30s), got 5',
      'c.yaml:7: engine.nodes[0].host: is required: hostname or IP address of the node (expected a host name or an IP address)',
      'c.yaml:7: engine.nodes[0].shufle_port: unknown parameter (did you mean shuffle_port?)',
      'c.yaml:9: execution.hybrid_headers_primary_index_compression_level: expected 0 to 11 for the method brotli, got 12',
      'c.yaml:10: auth.native: is required when auth.mode is native',
    ]);
  });

  it('warns of more memory than the machine has', () => {
    const { warnings } = parseConfig(
      'schema_version: "1.0"\nengine: {max_server_memory_usage: 1000TB}',
      'c.yaml',
    );
    expect(warnings).toEqual([
      {
        line: 2,
        path: 'engine.max_server_memory_usage',
        message: expect.stringMatching(/^is more than the memory of this machine, [\d.]+ GiB;/),
      },
    ]);
    expect(
      parseConfig('schema_version: "1.0"\nengine: {max_server_memory_usage: 1GB}', 'c').warnings,
    ).toEqual([]);
  });

  it('keeps a rule quiet when a value it looks at is wrong', () => {
    expect(complaints('storage: {type: s4, minio: {endpoint: "http://m"}}')).toEqual([
      'c.yaml:2: storage.type: expected one of s3, gcs, abs, azurite, minio, got "s4"',
    ]);
  });
});
