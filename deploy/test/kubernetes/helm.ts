import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

/** A rendered manifest. Tests access the members that they expect. */
// biome-ignore lint/suspicious/noExplicitAny: the shape is what the test asserts
export type Manifest = Record<string, any> & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
};

export const CHART = join(import.meta.dirname, '../../kubernetes/tessera');
const HELM = process.env['TESSERA_HELM'] ?? 'helm';

/** The helm program that TESSERA_HELM names, or the one on the path. */
export const hasHelm = spawnSync(HELM, ['version']).status === 0;

/** @throws Error with the message of helm */
export const helm = (...args: readonly string[]): string =>
  execFileSync(HELM, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 64 << 20 });

export interface Rendering {
  readonly release?: string;
  readonly namespace?: string;
  /** Returns paths of files with values, by name, in the folder of the test or in the chart. */
  readonly files?: readonly string[];
  readonly values?: object;
}

/** Returns the manifests that `helm install` would send, without the notes. */
export function render(rendering: Rendering = {}): Manifest[] {
  const text = helm('template', '--kube-version', '1.33.0', ...argumentsOf(rendering));
  return parseAllDocuments(text).flatMap((document) => (document.toJS() as Manifest | null) ?? []);
}

export const argumentsOf = ({
  release = 'shop',
  namespace = 'analytics',
  files = [],
  values = {},
}: Rendering) => [
  ...[release, CHART, '--namespace', namespace],
  ...files.flatMap((file) => ['--values', file]),
  ...Object.entries(values).flatMap(([name, value]) => ['--set-json', `${name}=${JSON.stringify(value)}`]),
];

/** Returns the only manifest of a kind, or the one with the given name. */
export function the(manifests: readonly Manifest[], kind: string, name?: string): Manifest {
  const found = manifests.filter(
    (manifest) => manifest.kind === kind && (name === undefined || manifest.metadata.name === name),
  );
  if (found.length !== 1) throw new Error(`${found.length} manifests of kind ${kind} ${name ?? ''}`);
  return found[0]!;
}
