import { describe, expect, it } from 'vitest';
import {
  AUTO_VACUUM_DEFAULTS,
  autoVacuum,
  configurationValues,
  engineNodes,
  memoryLimitBytes,
  memoryShares,
  parseConfig,
  showConfig,
  showConfigAsYaml,
  storageScheme,
} from './index.ts';

const parse = (text: string) => parseConfig(`schema_version: "1.0"\n${text}`, 'c');
const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

describe('derived settings', () => {
  it.each([
    ['', 0.9 * 10 * GIB],
    ['engine: {max_server_memory_usage: 3GiB}', 3 * GIB],
    ['engine: {max_server_memory_usage_to_ram_ratio: 0.5}', 5 * GIB],
    ['engine: {max_server_memory_usage_headroom_bytes: 4GiB}', 6 * GIB],
    ['engine: {max_server_memory_usage_headroom_bytes: 20GiB}', 0],
  ])('memory limit of 10 GiB with %j', (text, bytes) => {
    expect(memoryLimitBytes(parse(text).config, 10 * GIB)).toBe(bytes);
  });

  it.each([
    { limit: 16 * GIB, mirror: 256 * MIB, node: GIB, uncounted: 1 / 8 },
    { limit: 2 * GIB, mirror: 128 * MIB, node: 288 * MIB, uncounted: 256 / 1472 },
    { limit: GIB, mirror: 64 * MIB, node: 224 * MIB, uncounted: 1 / 3 },
    { limit: 512 * MIB, mirror: 32 * MIB, node: 192 * MIB, uncounted: 1 / 3 },
  ])(
    'memory of $limit bytes is divided, and nothing is given twice',
    ({ limit, mirror, node, uncounted }) => {
      const shares = memoryShares(limit);
      const kernelCeilingBytes = limit - node - (mirror + 96 * MIB);
      expect(shares).toEqual({
        kernelBytes: Math.floor((kernelCeilingBytes - 64 * MIB) * (1 - uncounted)),
        kernelCeilingBytes,
        mirrorBytes: mirror,
        mirrorCeilingBytes: mirror + 96 * MIB,
        processBytes: node,
      });
    },
  );

  it('a limit below the minimum is divided like the minimum', () => {
    expect(memoryShares(200 * MIB)).toEqual(memoryShares(512 * MIB));
  });

  it('a single local node with the default ports when none is listed', () => {
    const listed = parse('engine: {nodes: [{host: 127.0.0.1}]}').config;
    expect(engineNodes(parse('').config)).toEqual(listed.engine.nodes);
    expect(engineNodes(listed)).toBe(listed.engine.nodes);
  });

  it('auto-vacuum keeps its built-in defaults except for what is set', () => {
    expect(autoVacuum(parse('').config)).toEqual(AUTO_VACUUM_DEFAULTS);
    expect(autoVacuum(parse('engine: {auto_vacuum: {enabled: true}}').config)).toEqual({
      ...AUTO_VACUUM_DEFAULTS,
      enabled: true,
    });
  });

  it.each([
    ['', 's3://'],
    ['storage: {type: gcs, gcp: {}}', 'gs://'],
    ['storage: {type: azurite, azure: {}}', 'azure://'],
    ['storage: {type: gcs, gcp: {}, api_scheme: "s3://"}', 's3://'],
  ])('storage scheme of %j', (text, scheme) => {
    expect(storageScheme(parse(text).config)).toBe(scheme);
  });
});

describe('showing a configuration', () => {
  const parsed = parse(
    'engine: {termination_grace_period: 90s}\nauth: {native: {initial_user: {name: a, password: hunter2}}}',
  );

  it('shows what the file says, in the form of the file', () => {
    const shown = showConfig(parsed, { defaults: false });
    expect(shown.value).toEqual({
      auth: { native: { initial_user: { name: 'a', password: '********' } } },
      engine: { termination_grace_period: '90s' },
      schema_version: '1.0',
    });
  });

  it('lists the values of all parameters, with what the file sets and without secrets', () => {
    const values = configurationValues(
      parse('engine: {nodes: [{host: a}]}\nauth: {native: {initial_user: {name: a, password: hunter2}}}'),
    );
    const find = (path: string) => values.find((value) => value.path === path);
    expect(find('engine.nodes[0].host')).toMatchObject({ value: 'a', isSet: true });
    expect(find('engine.nodes[0].shuffle_port')).toMatchObject({ value: '16000', isSet: false });
    expect(find('engine.termination_grace_period')).toMatchObject({ value: '1m', isSet: false });
    expect(find('engine.cluster_id')).toMatchObject({ value: undefined, isSet: false });
    expect(find('auth.native.initial_user.password')).toMatchObject({ value: '********', isSet: true });
    for (const { meaning, path } of values) expect(meaning, path).not.toBe('');
  });

  it('shows the defaults as an equivalent file, in which every parameter has an effect', () => {
    const shown = showConfig(parse(''), { defaults: true });
    expect(shown.notYetInEffect).toEqual([]);
    const defaults = showConfigAsYaml(shown);
    expect(parseConfig(defaults.replace('type: s3', '#'), 'defaults').config).toEqual(parse('').config);
  });
});
