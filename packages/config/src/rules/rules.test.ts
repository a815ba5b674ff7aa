import { describe, expect, it } from 'vitest';
import type { ConfigError } from '../config-error.ts';
import { parseConfig } from '../parse.ts';

function broken(text: string): string[] {
  try {
    parseConfig(`schema_version: "1.0"\n${text}`, 'c');
    return [];
  } catch (error) {
    return (error as ConfigError).violations.map((v) => `${v.path}: ${v.message}`);
  }
}
const native = (inside: string) =>
  `auth: {mode: native, native: {initial_user: {name: a, password: b}, ${inside}}}`;
const provider = (name: string) =>
  `{name: ${name}, discovery_url: "https://i/.well-known/openid-configuration", username_mapping: "{{ sub }}"}`;

describe('rules that tie parameters together', () => {
  it.each<[string, string[]]>([
    // auth
    ['auth: {mode: native}', ['auth.native: is required when auth.mode is native']],
    ['auth: {mode: oidc}', ['auth.oidc: is required when auth.mode is oidc']],
    [
      'auth: {mode: native, native: {}}',
      ['auth.native.initial_user: is required when a single-engine instance runs with native authentication'],
    ],
    [
      'auth: {mode: native, native: {}}\ninstance: {type: multi_engine, multi_engine: {metadata_endpoint: "m:1"}}',
      [],
    ],
    [native(''), []],
    [
      native('signing_keys: [{id: a, private_key_path: p}, {id: a, private_key_path: q}]'),
      ['auth.native.signing_keys[1].id: is already the id of signing_keys[0]'],
    ],
    ['auth: {mode: oidc, oidc: {}}', ['auth.oidc.providers: needs a provider when auth.mode is oidc']],
    [`auth: {mode: oidc, oidc: {providers: [${provider('a')}]}}`, []],
    [
      `auth: {mode: oidc, oidc: {providers: [${provider('a')}, ${provider('b')}]}}`,
      ['auth.oidc.providers[1]: a single provider is supported at present'],
    ],
    // endpoints
    ['endpoints: {http: {listeners: [{type: tcp, port: 80}, {type: unix, path: /s}]}}', []],
    [
      'endpoints: {http: {listeners: [{type: tcp}]}}',
      ['endpoints.http.listeners[0].port: is required for type tcp'],
    ],
    [
      'endpoints: {http: {listeners: [{type: tcp, port: 80, path: /s}]}}',
      ['endpoints.http.listeners[0].path: must be omitted for type tcp'],
    ],
    [
      'endpoints: {http: {listeners: [{type: unix}]}}',
      ['endpoints.http.listeners[0].path: is required for type unix'],
    ],
    [
      'endpoints: {http: {listeners: [{type: unix, path: /s, port: 80}]}}',
      ['endpoints.http.listeners[0].port: must be omitted for type unix'],
    ],
    [
      'endpoints: {http: {listeners: [{type: tcp, port: 1}, {type: tcp, port: 2}]}}',
      ['endpoints.http.listeners[1]: at most one tcp listener, and listeners[0] is one'],
    ],
    [
      'endpoints: {http: {listeners: [{type: unix, path: /a}, {type: unix, path: /b}]}}',
      ['endpoints.http.listeners[1]: at most one unix listener, and listeners[0] is one'],
    ],
    [
      'endpoints: {postgres: {listeners: [{type: tcp}]}}',
      ['endpoints.postgres.listeners[0].port: is required for every listener'],
    ],
    [
      'endpoints: {postgres: {listeners: [{type: unix}]}}',
      [
        'endpoints.postgres.listeners[0].type: expected tcp, got "unix"',
        'endpoints.postgres.listeners[0].port: is required for every listener',
      ],
    ],
    [
      'endpoints: {http: {listeners: [{type: tcp, port: 80}]}, postgres: {listeners: [{type: tcp, port: 80}]}}',
      ['endpoints.postgres.listeners[0].port: port 80 is already that of endpoints.http'],
    ],
    // engine
    [
      'engine: {multi_cluster: {broadcast_endpoint: "b:1"}}',
      [
        'engine.cluster_id: is required when engine.multi_cluster is set',
        'engine.cluster_ordinal: is required when engine.multi_cluster is set',
      ],
    ],
    ['engine: {multi_cluster: {broadcast_endpoint: "b:1"}, cluster_id: c, cluster_ordinal: 0}', []],
    [
      'engine: {multi_cluster: {broadcast_endpoint: ""}, cluster_id: c, cluster_ordinal: 0}',
      ['engine.multi_cluster.broadcast_endpoint: expected an address host:port, got ""'],
    ],
    ['engine: {nodes: []}', ['engine.nodes: needs at least one node; leave it out for a single local node']],
    ['engine: {nodes: [{host: a}, {host: b}]}', []],
    [
      'engine: {nodes: [{host: a, shuffle_port: 1717}]}',
      ['engine.nodes[0].storage_manager_port: a:1717 is already nodes[0].shuffle_port'],
    ],
    // execution
    [
      'execution: {hybrid_headers_format_version: 4}',
      ['execution.hybrid_headers_format_version: expected an integer from 1 to 3, got 4'],
    ],
    ['execution: {hybrid_headers_primary_index_compression_method: none}', []],
    // instance
    [
      'instance: {type: multi_engine}',
      ['instance.multi_engine: is required when instance.type is multi_engine'],
    ],
    ['instance: {multi_engine: {metadata_endpoint: "m:1"}}', []],
    // logging
    ['engine: {id: ""}', ['engine.id: expected a non-empty string, got ""']],
    [
      'engine: {nodes: [{host: "a b"}]}',
      ['engine.nodes[0].host: expected a host name or an IP address, got "a b"'],
    ],
    ['engine: {nodes: [{host: node-0.tessera.svc}, {host: "::1"}, {host: 10.0.0.1}]}', []],
    [
      'logging: {sinks: [{type: file, file: {path: /l/a}}, {type: file, file: {path: /l/./b/../a}}]}',
      ['logging.sinks[1].file.path: is already the file of sinks[0]'],
    ],
    [
      'logging: {components: [{name: htpp, level: info}]}',
      ['logging.components[0].name: unknown component "htpp" (did you mean http?)'],
    ],
    ['logging: {sinks: [{type: file}]}', ['logging.sinks[0].file: is required for type file']],
    [
      'logging: {sinks: [{type: stderr, file: {path: /l}}]}',
      ['logging.sinks[0].file: must be absent for type stderr'],
    ],
    ['logging: {sinks: [{type: stderr}, {type: file, file: {path: /l}, level: debug}]}', []],
    [
      'logging: {sinks: [{type: file, file: {path: /l}}, {type: file, file: {path: /l}}]}',
      ['logging.sinks[1].file.path: is already the file of sinks[0]'],
    ],
    [
      'logging: {components: [{name: http, level: info}, {name: http, level: warn}]}',
      ['logging.components[1].name: is already the name of components[0]'],
    ],
    // storage
    ['storage: {}', []],
    ['storage: {aws: {}}', []],
    ['storage: {type: s3, aws: {intermediary_access_role: r}}', []],
    [
      'storage: {bucket_name: tables}',
      ['storage.aws: is required when storage.bucket_name is set (it may be empty: aws: {})'],
    ],
    [
      'storage: {default_s3_endpoint_override: "http://m:9000"}',
      [
        'storage.aws: is required when storage.default_s3_endpoint_override is set (it may be empty: aws: {})',
      ],
    ],
    ...['""', 'A_B', 'ab', 'a-', '10.0.0.1/x'].map((name): [string, string[]] => [
      `storage: {aws: {}, bucket_name: ${name}}`,
      [
        `storage.bucket_name: expected at least 3 lower-case letters, digits, hyphens and dots, the first and the last a letter or a digit (storage.type is s3), got ${JSON.stringify(name.replaceAll('"', ''))}`,
      ],
    ]),
    ['storage: {type: gcs, gcp: {}, bucket_name: a_b}', []],
    ['storage: {type: s3}', ['storage.aws: is required when storage.type is s3 (it may be empty: aws: {})']],
    [
      'storage: {type: gcs}',
      ['storage.gcp: is required when storage.type is gcs (it may be empty: gcp: {})'],
    ],
    ['storage: {type: minio, minio: {endpoint: "http://m:9000"}}', []],
    [
      'storage: {type: minio, minio: {}}',
      ['storage.minio.endpoint: is required: storage server endpoint URL (expected an http(s) URL)'],
    ],
    [
      'storage: {type: abs, azure: {}}',
      ['storage.azure.storage_account_name: is required when storage.type is abs'],
    ],
    ['storage: {type: azurite, azure: {}}', []],
    [
      'storage: {type: minio, minio: {endpoint: "http://m"}, aws: {}}',
      ['storage.aws: does not go with storage.type minio, whose block is minio'],
    ],
    [
      'storage: {api_scheme: "ftp://"}',
      ['storage.api_scheme: expected one of s3://, gs://, azure:// or null, got "ftp://"'],
    ],
  ])('decide about %s', (text, expected) => {
    expect(broken(text)).toEqual(expected);
  });

  it.each([
    ['none', 0, 0],
    ['gzip', 0, 9],
    ['zlib', 0, 9],
    ['xz', 0, 9],
    ['zstd', 1, 22],
    ['brotli', 0, 11],
    ['lz4', 0, 0],
    ['snappy', 0, 0],
  ])('compression level of %s: %i to %i', (method, lowest, highest) => {
    const level = (n: number) =>
      broken(
        `execution: {hybrid_headers_primary_index_compression_method: ${method}, hybrid_headers_primary_index_compression_level: ${n}}`,
      );
    expect(level(lowest)).toEqual([]);
    expect(level(highest)).toEqual([]);
    expect(level(highest + 1)[0]).toContain(`for the method ${method}, got ${highest + 1}`);
  });
});
