import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ThirdParty } from './third-party.ts';

/**
 * A bill of materials, with the members of CycloneDX 1.6 that a release uses:
 * https://cyclonedx.org/docs/1.6/json
 */
export interface BillOfMaterials {
  readonly $schema: string;
  readonly bomFormat: 'CycloneDX';
  readonly specVersion: '1.6';
  readonly version: 1;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

export interface Component {
  readonly type: 'application' | 'library';
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  /** Binaries for a single platform are optional, because other platforms do not need them. */
  readonly scope?: 'required' | 'optional';
  readonly hashes?: readonly { readonly alg: 'SHA-512'; readonly content: string }[];
  readonly licenses: readonly (
    | { readonly expression: string }
    | { readonly license: { readonly id: string } }
  )[];
  readonly purl: string;
  readonly externalReferences?: readonly { readonly type: 'vcs'; readonly url: string }[];
}

/** The path of the committed bill of materials, relative to the root of the workspace. */
export const BILL = 'deploy/npm/sbom.cdx.json';

/**
 * Makes the bill of materials of the npm package: itself, its dependencies, and the binaries for Linux on x64.
 * @param hashes of the packages by `name@version`
 */
export function billOfMaterials(
  program: { readonly name: string; readonly version: string; readonly license: string },
  parties: readonly ThirdParty[],
  hashes: ReadonlyMap<string, string>,
): BillOfMaterials {
  const component = (
    type: Component['type'],
    id: string,
    license: string,
    scope?: Component['scope'],
  ): Component => {
    const name = id.slice(0, id.lastIndexOf('@'));
    const version = id.slice(name.length + 1);
    const hash = hashes.get(id);
    return {
      type,
      'bom-ref': id,
      name,
      version,
      ...(scope === undefined ? {} : { scope }),
      ...(hash === undefined ? {} : { hashes: [{ alg: 'SHA-512', content: hash }] }),
      licenses: [/ /.test(license) ? { expression: license } : { license: { id: license } }],
      purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    };
  };
  const self = component('application', `${program.name}@${program.version}`, program.license);
  const idOf = ({ name, version }: ThirdParty) => `${name}@${version}`;
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: self },
    components: parties.flatMap((party) => [
      {
        ...component('library', idOf(party), party.license, 'required'),
        externalReferences: [{ type: 'vcs' as const, url: party.source }],
      },
      ...party.binaries.map((id) => component('library', id, party.license, 'optional')),
    ]),
    dependencies: [
      { ref: self['bom-ref'], dependsOn: parties.filter(({ isDirect }) => isDirect).map(idOf) },
      ...parties.map((party) => ({ ref: idOf(party), dependsOn: [...party.needs, ...party.binaries] })),
    ],
  };
}

/** The SHA-512 of the packages in the lock file, in hexadecimal, by `name@version`. */
export function lockedHashes(lockFile: string): Map<string, string> {
  const entries = lockFile.matchAll(
    /^ {2}'?((?:@[\w.-]+\/)?[\w.-]+@[^':(]+)'?:\n {4}resolution: \{integrity: sha512-([^}]+)\}/gm,
  );
  return new Map([...entries].map(([, id, hash]) => [id!, Buffer.from(hash!, 'base64').toString('hex')]));
}

export const readBill = (workspace: string): BillOfMaterials =>
  JSON.parse(readFileSync(join(workspace, BILL), 'utf8')) as BillOfMaterials;
