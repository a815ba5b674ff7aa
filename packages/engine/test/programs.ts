import { join } from 'node:path';

/** A whole test run builds the programs that tests start once (`scripts/test/built-programs.ts`); otherwise the sources are started. */
const built = process.env.TESSERA_TEST_PROGRAMS;

/** The program `tessera`. */
export const MAIN =
  built === undefined ? join(import.meta.dirname, '../src/main.ts') : join(built, 'main.js');

const OF_STORES = join(import.meta.dirname, '../../object-store/src/testing');

/** A server program of the object store's tests. */
export const storeProgram = (name: string): string =>
  built !== undefined && name === 's3-dev'
    ? join(built, 's3-dev-process.js')
    : join(OF_STORES, `${name}-process.ts`);
