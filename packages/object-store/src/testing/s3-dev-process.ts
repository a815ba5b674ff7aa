/**
 * Runs the development server over a directory of its own, with the users that the first argument gives as JSON, and creates the
 * buckets of these users. Prints `{endpoint, accessKeyId, secretAccessKey}`.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3DevServer } from '../dev-server/s3-dev-server.ts';
import type { S3DevUser } from '../dev-server/s3-rights.ts';
import { serveUntilInputEnds } from './server-program.ts';

const users = JSON.parse(process.argv[2] ?? '[]') as readonly S3DevUser[];
const directory = await mkdtemp(join(tmpdir(), 'tessera-s3-dev-'));
const server = await S3DevServer.start({ directory, port: 0, users });
for (const bucket of users.flatMap(({ buckets }) => buckets))
  await mkdir(join(directory, 'buckets', bucket), { recursive: true });

await serveUntilInputEnds({ endpoint: server.endpoint, ...server.credentials }, async () => {
  await server.close();
  await rm(directory, { recursive: true, force: true });
});
