/** Microsoft's emulator of blob storage, in memory. Prints `{connectionString, sasToken}`; the token is valid for a day. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  AccountSASPermissions,
  generateAccountSASQueryParameters,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
import { freePort } from '@tessera/common';
import { serveUntilInputEnds } from './server-program.ts';

/** The predefined account of every emulator; it is not a secret. */
const ACCOUNT = 'devstoreaccount1';
const KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

const directory = await mkdtemp(join(tmpdir(), 'tessera-azurite-'));
const port = await freePort('127.0.0.1');
const program = fileURLToPath(import.meta.resolve('azurite/dist/src/blob/main.js'));
const child = spawn(
  process.execPath,
  [
    program,
    ...['--blobHost', '127.0.0.1', '--blobPort', String(port)],
    ...['--inMemoryPersistence', '--silent', '--disableTelemetry', '--skipApiVersionCheck'],
  ],
  { stdio: ['ignore', 'pipe', 'inherit'], cwd: directory },
);
const closed = once(child, 'close');
const up = await Promise.race([
  (async () => {
    for await (const chunk of child.stdout) if (String(chunk).includes('successfully listen')) return true;
    return false;
  })(),
  closed.then(() => false),
]);
if (!up) process.exit(1);
child.stdout.resume();

const sasToken = generateAccountSASQueryParameters(
  {
    services: 'b',
    resourceTypes: 'sco',
    permissions: AccountSASPermissions.parse('rwdlac'),
    expiresOn: new Date(Date.now() + 86_400_000),
  },
  new StorageSharedKeyCredential(ACCOUNT, KEY),
).toString();

await serveUntilInputEnds(
  {
    sasToken,
    connectionString: `DefaultEndpointsProtocol=http;AccountName=${ACCOUNT};AccountKey=${KEY};BlobEndpoint=http://127.0.0.1:${port}/${ACCOUNT};`,
  },
  async () => {
    child.kill('SIGKILL');
    await closed;
    await rm(directory, { recursive: true, force: true });
  },
);
