/**
 * Runs the development server over a directory of its own. Prints `{endpoint, accessKeyId, secretAccessKey}`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3DevServer } from '../dev-server/s3-dev-server.ts';
import { serveUntilInputEnds } from './server-program.ts';

const directory = await mkdtemp(join(tmpdir(), 'tessera-s3-dev-'));
const server = await S3DevServer.start({ directory, port: 0 });

await serveUntilInputEnds({ endpoint: server.endpoint, ...server.credentials }, async () => {
  await server.close();
  await rm(directory, { recursive: true, force: true });
});
