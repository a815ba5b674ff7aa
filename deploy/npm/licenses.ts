import type { ThirdParty } from './third-party.ts';

/** The licences that a dependency may have. None of them requires users to publish their own code. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
  'Zlib',
]);

/** Whether allowed licences alone satisfy an SPDX expression. Exceptions (`WITH`) are not allowed. */
export function isAllowed(expression: string): boolean {
  const tokens = expression.match(/[()]|[^\s()]+/g) ?? [];
  const either = (): boolean => {
    let allowed = both();
    while (tokens[0] === 'OR') {
      tokens.shift();
      allowed = both() || allowed;
    }
    return allowed;
  };
  const both = (): boolean => {
    let allowed = one();
    while (tokens[0] === 'AND') {
      tokens.shift();
      allowed = one() && allowed;
    }
    return allowed;
  };
  const one = (): boolean => {
    const token = tokens.shift();
    if (token !== '(') return token !== undefined && ALLOWED.has(token);
    const allowed = either();
    return tokens.shift() === ')' && allowed;
  };
  return either() && tokens.length === 0;
}

/** Returns a message for each package whose licence is not allowed. */
export const licenseProblems = (parties: readonly ThirdParty[]): string[] =>
  parties
    .filter(({ license }) => !isAllowed(license))
    .map(
      ({ name, version, license, source }) =>
        `${name}@${version} has ${license === '' ? 'no licence in its manifest' : `the licence ${license}`} (${source}): ` +
        'use another package, or add the licence to deploy/npm/licenses.ts if it is as permissive as the others',
    );

/** Renders the page of the third-party packages of which the program consists. */
export function thirdPartyPage(parties: readonly ThirdParty[]): string {
  const rows = parties.map(
    ({ name, version, license, source, binaries }) =>
      `| ${name} | ${version} | ${license} | <${source}> |${binaries.length > 0 ? ' yes' : ''} |`,
  );
  return `${[
    '<!-- Written by scripts/generate-third-party.ts from the installed packages. -->',
    '# Third-party software',
    '',
    'Tessera is licensed under the [Apache License 2.0](LICENSE). To run, it needs the npm packages below, all of them under',
    'permissive licences, whose texts most packages bring along. A package with binaries has further packages for each',
    'platform, under the same licence; DuckDB is in those of `@duckdb/node-bindings`. What the web console consists of is in',
    '[licenses.txt](packages/console/src/generated/licenses.txt). The same list for programs, with checksums, is the bill of',
    'materials `sbom.cdx.json` (CycloneDX 1.6), which is in the npm package too.',
    '',
    '| package | version | licence | source | binaries |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n')}\n`;
}
