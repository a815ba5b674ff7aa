import { defineConfig } from 'vitest/config';
import { startBuilt } from './scripts/test/built-programs.ts';

/**
 * Packages whose tests change nothing that is global to a process, or put it back. Their files run one after another in the same
 * processes, which load the packages once and not for every file. Tests of whole nodes load less, so that only their processes are
 * saved.
 */
const inSharedProcesses = [
  'packages/{access-control,auth,broadcast,catalog,common,config,console,coordinator,distexec,engine/src,file-scan,http-api,kernel,object-store,planner,postgres-api,readers,rpc,scheduler,shuffle,sql,storage-agent,storage-manager,system-catalog,tablet}/**/*.test.ts',
  'packages/engine/test/postgres-clients/*.test.ts',
  'packages/engine/test/docs/{every-block,page-steps,shown-output}.test.ts',
  'bench/loadtest/src/{!(loadtest),{benchmarks,http,load,report,suites}/**/*}.test.ts',
  'deploy/test/{container-commands,compose/*,kubernetes/page}.test.ts',
  'scripts/check/*.test.ts',
  'packages/engine/test/{attacks,chaos,cluster,compatibility,differential,null-differential,rolling,sqllogic}/*.test.ts',
  'packages/engine/test/faults/!(garbage|killed-insert|leaders).test.ts',
  'packages/engine/test/!(backup|firebolt-sdk|foreign-files|fuzz-sql|lifecycle|managed-*|memory-*|metadata-*|mistakes|object-*|oidc|repair|secrets-*|tpch-*).test.ts',
];
const everywhere = ['packages/*/{src,test}/**', 'bench/*/src/**', 'deploy/test/**', 'scripts/**'];

const programs = process.env.TESSERA_TEST_PROGRAMS;

export default defineConfig({
  plugins: programs === undefined ? [] : [startBuilt(import.meta.dirname, programs)],
  test: {
    pool: 'forks',
    // Machines may be slow: what is waited for comes, or the test fails in good time.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 20_000 } },
    passWithNoTests: false,
    // One more than a small machine has cores: tests that wait for a lease, a timeout or a restart leave a core idle.
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: {
          name: 'main',
          include: everywhere.map((place) => `${place}/*.test.ts`),
          exclude: ['**/*.heavy.test.ts', ...inSharedProcesses],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'shared',
          include: inSharedProcesses,
          exclude: ['**/node_modules/**', '**/*.heavy.test.ts'],
          isolate: false,
          setupFiles: ['scripts/test/restored-globals.ts'],
          restoreMocks: true,
          unstubEnvs: true,
          sequence: { groupOrder: 0 },
        },
      },
      {
        // Tests that measure times, or the memory of the process that runs them: one file at a time, beside nothing else.
        extends: true,
        test: {
          name: 'heavy',
          include: everywhere.map((place) => `${place}/*.heavy.test.ts`),
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
