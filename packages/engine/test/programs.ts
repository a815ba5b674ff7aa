import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// A whole test run replaces sources that are named in this form by the programs that it has built (`scripts/test/built-programs.ts`).

/** The program `tessera`. */
export const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

const S3_DEV = fileURLToPath(new URL('../../object-store/src/testing/s3-dev-process.ts', import.meta.url));
const OF_STORES = join(import.meta.dirname, '../../object-store/src/testing');

/** A server program of the object store's tests. */
export const storeProgram = (name: string): string =>
  name === 's3-dev' ? S3_DEV : join(OF_STORES, `${name}-process.ts`);
