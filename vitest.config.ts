import { defineConfig } from 'vitest/config';

const everywhere = ['packages/*/{src,test}/**', 'bench/*/src/**', 'deploy/test/**', 'scripts/**'];

export default defineConfig({
  test: {
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Machines may be slow: what is waited for comes, or the test fails in good time.
    expect: { poll: { timeout: 20_000 } },
    passWithNoTests: false,
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'main',
          include: everywhere.map((place) => `${place}/*.test.ts`),
          exclude: ['**/*.heavy.test.ts'],
          sequence: { groupOrder: 0 },
        },
      },
      {
        // Tests that measure memory or time, or need much of either: one file at a time, beside nothing else.
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
