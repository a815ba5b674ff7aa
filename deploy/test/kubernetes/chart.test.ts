import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { argumentsOf, CHART, hasHelm, helm, type Manifest, render, the } from './helm.ts';
import { mismatchesOf } from './references.ts';
import { faultsOf } from './strict-validation.ts';

const VALUES = join(import.meta.dirname, 'values');
const CASES: readonly [name: string, files: readonly string[]][] = [
  ['nothing', []],
  ['the quick start', [join(CHART, 'values-quickstart.yaml')]],
  ...['five-nodes-s3', 'one-of-two-clusters', 'google', 'google-key', 'azure', 'secured', 'everything'].map(
    (name): [string, string[]] => [name, [join(VALUES, `${name}.yaml`)]],
  ),
];
const MAIN = fileURLToPath(new URL('../../../packages/engine/src/main.ts', import.meta.url));
const tessera = (args: readonly string[], env: Readonly<Record<string, string>>) =>
  promisify(execFile)(process.execPath, [MAIN, ...args], { env: { ...process.env, ...env } });

const configOf = (manifests: readonly Manifest[]) =>
  manifests.find(({ data }) => data?.['tessera.yaml'] !== undefined)!.data['tessera.yaml'] as string;
const nodesOf = (manifests: readonly Manifest[]) =>
  manifests.find(({ kind, spec }) => kind === 'StatefulSet' && spec.minReadySeconds !== undefined)!;

describe.skipIf(!hasHelm)(
  'the chart (skipped where helm is neither on the path nor named by TESSERA_HELM)',
  () => {
    describe.each(CASES)('with values of %s', (_name, files) => {
      const manifests = hasHelm ? render({ files }) : [];

      it('passes lint', () => {
        helm('lint', '--strict', '--quiet', CHART, ...files.flatMap((file) => ['--values', file]));
      });

      it('renders manifests that pass the strict validation of Kubernetes', () => {
        const faults = manifests.flatMap((manifest) =>
          faultsOf(manifest).map((fault) => `${manifest.kind} ${manifest.metadata.name}: ${fault}`),
        );
        expect(faults).toEqual([]);
      });

      it('renders manifests that are consistent with each other', () => {
        expect(mismatchesOf(manifests)).toEqual([]);
      });

      it('meets the restricted pod security standard', () => {
        for (const set of manifests.filter(({ kind }) => kind === 'StatefulSet')) {
          const { spec } = set.spec.template;
          expect(spec.securityContext).toMatchObject({
            runAsNonRoot: true,
            seccompProfile: { type: 'RuntimeDefault' },
          });
          expect(spec.automountServiceAccountToken).toBe(false);
          for (const container of spec.containers) {
            expect(container.securityContext).toEqual({
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
            });
          }
        }
      });
    });

    it('renders configurations that a node accepts', async () => {
      const directory = await mkdtemp(join(tmpdir(), 'tessera-chart-'));
      onTestFinished(() => rm(directory, { recursive: true }));
      const outputs = CASES.map(async ([name, files]) => {
        const file = join(directory, `${name}.yaml`);
        await writeFile(file, configOf(render({ files })), { mode: 0o600 });
        return (await tessera(['config', 'check', file], { TESSERA_INITIAL_PASSWORD: 'secret' })).stdout;
      });
      for (const output of await Promise.all(outputs)) expect(output).toContain('no problems found');
    });

    it('gives every node its address and its ordinal', () => {
      const manifests = render({ files: [join(VALUES, 'five-nodes-s3.yaml')], release: 'shop' });
      const { nodes } = parse(configOf(manifests)).engine;
      expect(nodes).toEqual(
        [0, 1, 2, 3, 4].map((n) => ({
          host: `shop-tessera-${n}.shop-tessera-nodes.analytics.svc.cluster.local`,
        })),
      );
      const { metadata, spec } = nodesOf(manifests);
      expect(nodes[4].host).toMatch(`${metadata.name}-4.${spec.serviceName}.`);
      const [{ args, env }] = spec.template.spec.containers;
      expect(args).toContain('--node=$(TESSERA_NODE)');
      expect(
        env.find(({ name }: { name: string }) => name === 'TESSERA_NODE').valueFrom.fieldRef.fieldPath,
      ).toBe("metadata.labels['apps.kubernetes.io/pod-index']");
    });

    it.each([
      ['4Gi', '3865470566B'],
      ['1536Mi', '1449551462B'],
      ['2G', '1800000000B'],
      ['4294967296', '3865470566B'],
      [4_294_967_296, '3865470566B'],
    ])('leaves a tenth of the limit of %s to the system', (memory, expected) => {
      const { engine } = parse(configOf(render({ values: { 'resources.limits.memory': memory } })));
      expect(engine.max_server_memory_usage).toBe(expected);
    });

    it.each([
      ['7500m', 8],
      ['2', 2],
      [2, 2],
    ])('maps a limit of %s processors to %d threads', (cpu, expected) => {
      const { execution } = parse(configOf(render({ values: { 'resources.limits.cpu': cpu } })));
      expect(execution.max_threads).toBe(expected);
    });

    it('installs the rules and the dashboard unchanged', () => {
      const manifests = render({ files: [join(VALUES, 'everything.yaml')] });
      const original = (name: string) => readFileSync(join(CHART, '../../monitoring', name), 'utf8');
      expect(the(manifests, 'PrometheusRule').spec).toEqual(parse(original('alerts.yaml')));
      const dashboard = the(manifests, 'ConfigMap', 'warehouse-dashboard').data['tessera.json'];
      expect(JSON.parse(dashboard)).toEqual(JSON.parse(original('dashboard.json')));
    });

    it('lets the value `config` override what the chart computes', () => {
      const values = {
        config: {
          // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of the configuration
          engine: { max_server_memory_usage: '${env:LIMIT}' },
          instance: { id: '01JZ0000000000000000000000' },
          storage: { type: 's3', aws: {}, gc_ttl_seconds: 1_604_800_000 },
        },
      };
      const config = parse(configOf(render({ values })));
      expect(config).toMatchObject(values.config);
      expect(config.engine.nodes).toHaveLength(1);
    });

    it('gives each installation its own tables, which upgrades keep', () => {
      const id = (release: string, namespace: string) =>
        parse(configOf(render({ release, namespace }))).instance.id as string;
      const ids = [id('a', 'x'), id('b', 'x'), id('a', 'y'), id('a', 'x')];
      expect(new Set(ids).size).toBe(3);
      expect(ids[3]).toBe(ids[0]);
      for (const one of ids) expect(one).toMatch(/^0[0-9A-F]{25}$/);
    });

    it('rolls the pods when the configuration changes, and not for values that differ in each rendering', () => {
      const checksum = (values: object) => nodesOf(render({ values })).spec.template.metadata.annotations;
      expect(checksum({})).toEqual(checksum({}));
      expect(checksum({ config: { logging: { level: 'debug' } } })).not.toEqual(checksum({}));
      const s3 = { config: { storage: { type: 's3', aws: {} } } };
      expect(checksum({ ...s3, replicas: 2 })).not.toEqual(checksum({ ...s3, replicas: 3 }));
      const keys = (key: string) => ({ ...s3, credentials: { env: { AWS_ACCESS_KEY_ID: key } } });
      expect(checksum(keys('a'))).not.toEqual(checksum(keys('b')));
    });

    it.each([
      ['1m', 90],
      ['90s', 120],
      ['1.5h', 5_430],
    ])('waits %d seconds for a node that drains for %s', (grace, seconds) => {
      const values = { 'config.engine.termination_grace_period': grace };
      const { spec } = nodesOf(render({ values })).spec.template;
      expect(spec.terminationGracePeriodSeconds).toBe(seconds);
      expect(spec.containers[0].args).toEqual(
        expect.arrayContaining(['--drain-delay=10', '--exchange-buffer-bytes=8388608']),
      );
    });

    it('prints how to send a query', () => {
      const notes = (values: object) =>
        helm('install', '--dry-run=client', ...argumentsOf({ values })).split('\nNOTES:\n')[1]!;
      expect(notes({})).toContain('port-forward service/shop-tessera 3473:3473 5432:5432');
      expect(notes({})).toContain('Authentication is off');
      const secured = notes({ 'auth.native.enabled': true, 'tls.existingSecret': 'certificate' });
      expect(secured).toContain('get secret shop-tessera-auth -o');
      expect(secured).toContain('curl -sk https://127.0.0.1:3473/oauth/token -d grant_type=password');
      expect(secured).not.toContain('Authentication is off');
    });

    it('creates secrets unless they are given', () => {
      const own = render({ values: { 'auth.native.enabled': true } });
      const auth = the(own, 'Secret', 'shop-tessera-auth').data;
      const decoded = (text: string) => Buffer.from(text, 'base64').toString();
      expect(decoded(auth['signing-key.pem'])).toMatch(/^-----BEGIN EC PRIVATE KEY-----\n/);
      expect(decoded(auth.password)).toMatch(/^\w{24}$/);
      expect(decoded(the(own, 'Secret', 'shop-tessera-cluster-token').data.token)).toMatch(/^\w{48}$/);
      const given = render({
        files: [join(VALUES, 'secured.yaml')],
        values: { 'auth.native.existingSecret': 'a' },
      });
      expect(given.filter(({ kind }) => kind === 'Secret')).toEqual([]);
    });

    it.each([
      [{ replicas: 3 }, /more than one node needs a store/],
      [{ 'persistence.enabled': false }, /an emptyDir would lose them/],
      [{ 'config.engine.nodes': [{ host: 'a' }] }, /the chart computes the nodes/],
      [{ 'config.endpoints': { http: { listeners: [] } } }, /the ports of the pods are fixed/],
      [{ 'config.engine.termination_grace_period': 'soon' }, /is no duration/],
      [{ 'resources.limits.memory': '4GiB' }, /a unit that the chart does not know/],
      [{ replica: 3 }, /additional properties 'replica' not allowed/],
      [{ replicas: 0 }, /replicas.*minimum/],
      [{ 'service.type': 'Internal' }, /service\/type/],
      [{ 'persistence.sice': '1Gi' }, /additional properties 'sice' not allowed/],
    ])('refuses %j', (values, message) => {
      expect(() => render({ values })).toThrow(message);
    });
  },
);
