import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';

/** A third-party package that the program needs to run. */
export interface ThirdParty {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression; empty if the package names none. */
  readonly license: string;
  /** The address of its source code or its home page. */
  readonly source: string;
  /** `name@version` of its dependencies. */
  readonly needs: readonly string[];
  /** `name@version` of the binaries that it installs for Linux on x64. */
  readonly binaries: readonly string[];
  /** Whether a package of the workspace depends on it directly. */
  readonly isDirect: boolean;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string | { readonly type: string };
  readonly licenses?: readonly { readonly type: string }[];
  readonly repository?: string | { readonly url: string };
  readonly homepage?: string;
  readonly os?: readonly string[];
  readonly dependencies?: Versions;
  readonly optionalDependencies?: Versions;
  readonly peerDependencies?: Versions;
}

type Versions = Readonly<Record<string, string>>;

/** The binaries for this platform. Those for other platforms are neither installed nor listed. */
const BINARY = /[-/]linux-x64(-gnu)?$/;

/**
 * Lists all third-party packages that packages of the workspace need to run, by name and version. It reads the
 * installed files, so the workspace must be installed.
 * @param folders of the packages of the workspace
 */
export function thirdPartyOf(workspace: string, folders: readonly string[]): ThirdParty[] {
  const direct = folders.flatMap((folder) => {
    const { dependencies = {} } = readManifest(join(workspace, folder));
    const names = Object.keys(dependencies).filter((name) => !name.startsWith('@tessera/'));
    return names.map((name) => realpathSync(join(workspace, folder, 'node_modules', name)));
  });
  const found = new Map<string, ThirdParty>();
  const open = [...direct];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const manifest = readManifest(place);
    if (found.has(idOf(manifest))) continue;
    const needed = neededBy(manifest, place);
    open.push(...needed);
    found.set(idOf(manifest), {
      name: manifest.name,
      version: manifest.version,
      license: licenseOf(manifest),
      source: sourceOf(manifest),
      needs: needed.map((needs) => idOf(readManifest(needs))).sort(),
      binaries: Object.entries(manifest.optionalDependencies ?? {})
        .filter(([name]) => BINARY.test(name))
        .map(([name, version]) => `${name}@${version}`),
      isDirect: direct.includes(place),
    });
  }
  return [...found.values()].sort((a, b) => compare(a.name, b.name) || compare(a.version, b.version));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const idOf = ({ name, version }: Manifest): string => `${name}@${version}`;

/** The folders of a package's dependencies, without binaries for a single platform. */
function neededBy(manifest: Manifest, place: string): string[] {
  const names = Object.keys({
    ...manifest.peerDependencies,
    ...manifest.optionalDependencies,
    ...manifest.dependencies,
  });
  // pnpm links the dependencies of a package in the folder that contains it.
  const siblings = place.slice(0, place.lastIndexOf(`${sep}node_modules${sep}`));
  return names
    .map((name) => join(siblings, 'node_modules', name))
    .filter((path) => existsSync(path))
    .map((path) => realpathSync(path))
    .filter((path) => readManifest(path).os === undefined);
}

function licenseOf({ license, licenses = [] }: Manifest): string {
  if (typeof license === 'object') return license.type;
  return license ?? licenses.map(({ type }) => type).join(' OR ');
}

function sourceOf({ name, repository, homepage }: Manifest): string {
  const url = typeof repository === 'object' ? repository.url : repository;
  const path =
    /^(?:github:|(?:git\+)?(?:https?|ssh|git):\/\/(?:git@)?github\.com\/)?([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(
      url ?? '',
    )?.[1];
  if (path !== undefined) return `https://github.com/${path}`;
  return (
    url?.replace(/^git\+/, '').replace(/\.git$/, '') ?? homepage ?? `https://www.npmjs.com/package/${name}`
  );
}

const manifests = new Map<string, Manifest>();

function readManifest(folder: string): Manifest {
  const known = manifests.get(folder);
  if (known !== undefined) return known;
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  manifests.set(folder, manifest);
  return manifest;
}
