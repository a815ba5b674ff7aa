import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import manifest from '../../../package.json' with { type: 'json' };
import { commandOf, nodeServices, readComposeFile, WORKSPACE } from './compose-file.ts';

const MAIN = fileURLToPath(new URL('../../../packages/engine/src/main.ts', import.meta.url));
const file = readComposeFile();
const services = Object.entries(file.services);
const text = (path: string) => readFileSync(join(WORKSPACE, path), 'utf8');
const config = parse(text('deploy/compose/tessera.yaml'));
/** Returns source and target of an entry in `volumes` of a service. */
const mounts = services.flatMap(([name, { volumes = [] }]) =>
  volumes.map((volume) => ({ name, source: volume.split(':')[0]!, target: volume.split(':')[1]! })),
);

describe('docker-compose.yml', () => {
  it('fits the Compose Specification', () => {
    // From github.com/compose-spec/compose-spec, schema/compose-spec.json, commit 170098ba07d9 (Apache-2.0).
    const schema = JSON.parse(text('deploy/test/compose/compose-spec.json'));
    const validate = new Ajv({ strict: false, validateFormats: false, validateSchema: false }).compile({
      ...schema,
      $schema: undefined,
    });
    expect(validate(file), JSON.stringify(validate.errors)).toBe(true);
  });

  it('works without any variable, and uses those that are set', () => {
    expect(readComposeFile({ TESSERA_BIND: '0.0.0.0' }).services['node-0']!.ports).toEqual([
      '0.0.0.0:3473:3473',
      '0.0.0.0:5432:5432',
    ]);
    expect(readComposeFile({ TESSERA_BIND: '' })).toEqual(file);
  });

  it('has no variable that its page does not describe', () => {
    const page = text('deploy/compose/README.md');
    const variables = [...text('docker-compose.yml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name!);
    expect(variables.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it.each(services)('%s has a pinned image and can write only to its volumes', (_name, service) => {
    expect(service.image).toMatch(/^[\w.-]+\.\w+\/[\w./-]+:(v?\d+\.\d+\.\d+|RELEASE\.[\dTZ-]+)$/);
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  });

  it.each(services)('%s waits only for services that say when they are ready', (_name, service) => {
    for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
      expect(file.services).toHaveProperty(other);
      if (condition === 'service_healthy') expect(file.services[other]!.healthcheck).toBeDefined();
    }
  });

  it('mounts files that exist and volumes that are declared', () => {
    const named = mounts.filter(({ source }) => !source.startsWith('.')).map(({ source }) => source);
    expect(named.toSorted()).toEqual(Object.keys(file.volumes).toSorted());
    for (const { source } of mounts)
      if (source.startsWith('.')) expect(existsSync(join(WORKSPACE, source)), source).toBe(true);
    for (const [, { build }] of services)
      if (build !== undefined)
        expect(existsSync(join(WORKSPACE, build.context, build.dockerfile))).toBe(true);
  });

  it('publishes every port once, and only on this machine', () => {
    const published = services.flatMap(([, { ports = [] }]) => ports);
    for (const port of published) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
    expect(new Set(published.map((port) => port.split(':')[1])).size).toBe(published.length);
  });
});

describe('the clusters of the profile multi-cluster', () => {
  const path = join(WORKSPACE, 'deploy/compose/clusters/tessera.yaml');
  const members = services.filter(([name]) => /^[ab]-\d$/.test(name));

  it('have a configuration that is valid in the environment of each node', () => {
    const ordinals = members.map(([name, { environment, command }]) => {
      const { TESSERA_CLUSTER_ID: id, TESSERA_CLUSTER_ORDINAL: ordinal } = environment!;
      const node = commandOf(command).at(-1);
      expect(environment![`TESSERA_NODE_${node}`]).toBe(name);
      expect(name).toBe(`${id}-${node}`);
      return ordinal;
    });
    expect(ordinals).toEqual(['0', '0', '1', '1']);
    const { environment } = members.at(-1)![1];
    const { status, stderr } = spawnSync(process.execPath, [MAIN, 'config', 'check', path], {
      env: { ...environment },
    });
    expect(status, String(stderr)).toBe(0);
  });

  it('are known to the load balancer, and reach the broadcast service at its port', () => {
    const balancer = text('deploy/compose/clusters/haproxy.cfg');
    const served = [...balancer.matchAll(/server (\S+) \1:3473/g)].map(([, name]) => name);
    expect(served).toEqual(members.map(([name]) => name));
    const [host, port] = parse(readFileSync(path, 'utf8')).engine.multi_cluster.broadcast_endpoint.split(':');
    expect(commandOf(file.services[host]!.command).slice(-2)).toEqual(['--port', port]);
  });
});

describe('the nodes of docker-compose.yml', () => {
  const nodes = nodeServices(file);

  it('are the nodes of the configuration, in its order', () => {
    expect(nodes.map(([name]) => name)).toEqual(
      config.engine.nodes.map(({ host }: { host: string }) => host),
    );
    for (const [i, [, { command }]] of nodes.entries())
      expect(commandOf(command).slice(-2)).toEqual(['--node', `${i}`]);
  });

  it('have a configuration that is valid in their environment', () => {
    const [, { environment }] = nodes[0]!;
    const args = [MAIN, 'config', 'check', join(WORKSPACE, 'deploy/compose/tessera.yaml')];
    const { status, stderr } = spawnSync(process.execPath, args, { env: { ...environment } });
    expect(status, String(stderr)).toBe(0);
  });

  it('run the image of this version, listen on the published ports, and find their files', () => {
    const { http, postgres } = config.endpoints;
    for (const [name, { image, command, ports }] of nodes) {
      expect(image).toBe(`ghcr.io/tessera-sql/tessera:${manifest.version}`);
      expect(ports!.map((port) => Number(port.split(':').at(-1)))).toEqual([
        http.listeners[0].port,
        postgres.listeners[0].port,
      ]);
      const targets = mounts.filter((mount) => mount.name === name).map(({ target }) => target);
      for (const target of targets) expect(commandOf(command)).toContain(target);
    }
  });

  it('have the time to drain', () => {
    const seconds = (duration: string) => Number(/^(\d+)s$/.exec(duration)![1]);
    for (const [, { stop_grace_period }] of nodes)
      expect(seconds(stop_grace_period!)).toBeGreaterThanOrEqual(
        seconds(config.engine.termination_grace_period) + 10,
      );
  });

  it('are scraped by Prometheus under a name that the rules and the dashboard match', () => {
    const [job, ...others] = parse(text('deploy/compose/prometheus.yml')).scrape_configs;
    expect(others).toEqual([]);
    expect(job.job_name).toContain('tessera');
    expect(job.static_configs[0].targets).toEqual(nodes.map(([name]) => `${name}:9090`));
  });
});
