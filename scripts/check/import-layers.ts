import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { cruise, type ICruiseResult, type IFlattenedRuleSet } from 'dependency-cruiser';
import { folderProblems } from './folder-layers.ts';
import { allowedFor, type LayerTable, packagesOf } from './layer-table.ts';
import { acceptUsingDeclarations } from './swc-using.ts';

acceptUsingDeclarations();

const SOURCES = [
  'packages/*/src/**/*.ts',
  'packages/*/test/**/*.ts',
  'packages/*/bench/**/*.ts',
  'bench/*/src/**/*.ts',
  'scripts/**/*.ts',
  'deploy/{image,npm,test}/**/*.ts',
];

/**
 * Imports that break the layer table, go past a package's `index.ts`, form a cycle of files or folders or lead nowhere, one
 * line each.
 * Also an error: fewer modules examined than source files exist, because a cruise without a TypeScript parser finds
 * nothing wrong in nothing.
 */
export async function importProblems(root: string, table: LayerTable): Promise<string[]> {
  const sources = globSync(SOURCES, { cwd: root });
  const { output } = await cruise(
    ['packages', 'bench', 'scripts', 'deploy'].filter((folder) => existsSync(join(root, folder))),
    {
      baseDir: root,
      validate: true,
      ruleSet: rules(table),
      parser: 'swc',
      tsPreCompilationDeps: true,
      // The chunks of the built console import each other as the bundler decides.
      exclude: { path: '(^|/)node_modules/(?!@tessera/)|^packages/console/src/generated/' },
      doNotFollow: { path: 'node_modules' },
    },
    {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.mjs', '.js', '.json'],
    },
  );
  const result = output as ICruiseResult;
  const examined = result.modules.filter((m) => !m.couldNotResolve).map((m) => m.source);
  return [
    ...(sources.length === 0 ? ['no source files found: is this the root of the repository?'] : []),
    ...notExamined(sources, examined),
    ...folderProblems(
      root,
      table,
      result.modules.flatMap(({ source, dependencies }) =>
        dependencies.map(({ resolved }) => ({ from: source, to: resolved })),
      ),
    ),
    ...result.summary.violations.map((v) => {
      const path = v.cycle === undefined ? [v.to] : v.cycle.map((step) => step.name);
      return `${v.from}: ${v.rule.name}: ${path.join(' → ')}`;
    }),
  ];
}

export function notExamined(sources: readonly string[], examined: readonly string[]): string[] {
  const seen = new Set(examined);
  const missed = sources.filter((file) => !seen.has(file));
  return missed.map((file) => `${file}: not examined (does @swc/core fit dependency-cruiser?)`);
}

function rules(table: LayerTable): IFlattenedRuleSet {
  const known = packagesOf(table);
  const layers = known.map((name) => ({
    name: `${name} may not use this package (layers.json)`,
    severity: 'error' as const,
    from: { path: `^packages/${RegExp.escape(name)}/` },
    to: {
      path: '^packages/[^/]+/',
      pathNot: `^packages/(${[name, ...allowedFor(table, name)].map((n) => RegExp.escape(n)).join('|')})/`,
    },
  }));
  return {
    forbidden: [
      ...layers,
      {
        name: 'imports past the index.ts of another package',
        severity: 'error',
        from: { path: '^(packages|bench)/([^/]+)/' },
        to: {
          path: '^(packages|bench)/[^/]+/',
          pathNot: ['^$1/$2/', '^(packages|bench)/[^/]+/src/index\\.ts$'],
        },
      },
      {
        name: 'imports another package by a relative path',
        severity: 'error',
        from: { path: '^(packages|bench)/([^/]+)/' },
        to: { path: '^(packages|bench)/', pathNot: '^$1/$2/', dependencyTypes: ['local'] },
      },
      {
        name: 'imports past the index.ts of a package',
        severity: 'error',
        from: { path: '^(scripts|deploy)/' },
        to: { path: '^(packages|bench)/[^/]+/', pathNot: '^(packages|bench)/[^/]+/src/index\\.ts$' },
      },
      {
        name: 'a package may use neither scripts nor what deploys it',
        severity: 'error',
        from: { path: '^(packages|bench)/' },
        to: { path: '^(scripts|deploy)/' },
      },
      {
        name: 'only tests and benchmarks of a package may use bench',
        severity: 'error',
        from: { path: '^packages/', pathNot: '^packages/[^/]+/(test|bench)/|/testing/|\\.test\\.ts$' },
        to: { path: '^bench/' },
      },
      {
        name: 'a package missing from layers.json',
        severity: 'error',
        from: { path: '^packages/', pathNot: `^packages/(${known.map((n) => RegExp.escape(n)).join('|')})/` },
        to: {},
      },
      {
        name: 'an import cycle',
        severity: 'error',
        from: {},
        to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
      },
      {
        name: 'an import cycle through types',
        severity: 'error',
        from: {},
        to: { circular: true, via: { dependencyTypes: ['type-only'] } },
      },
      { name: 'an import that leads nowhere', severity: 'error', from: {}, to: { couldNotResolve: true } },
    ],
  };
}
