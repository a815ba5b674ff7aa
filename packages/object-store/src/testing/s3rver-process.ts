/** An S3 server that ignores conditions of writes. Prints `{endpoint, accessKeyId, secretAccessKey}`. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// @ts-expect-error It has no types.
import S3rver from 's3rver';
import { serveUntilInputEnds } from './server-program.ts';

const directory = await mkdtemp(join(tmpdir(), 'tessera-s3rver-'));
const server = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory, resetOnClose: false });
const { port } = await server.run();

await serveUntilInputEnds(
  { endpoint: `http://127.0.0.1:${port}`, accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
  async () => {
    await rm(directory, { recursive: true, force: true });
  },
);
