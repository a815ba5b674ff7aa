import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import { expect, it } from 'vitest';
import { createS3Client } from './s3-client.ts';

const HOUR_MS = 3_600_000;

/** A server whose clock is an hour behind. It accepts only requests with its own time, and has no objects. */
async function serverBehind() {
  const statuses: number[] = [];
  const server = createServer((request, response) => {
    const now = Date.now() - HOUR_MS;
    const signedAt = Date.parse(
      String(request.headers['x-amz-date']).replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'),
    );
    const isSkewed = Math.abs(signedAt - now) > 15 * 60_000;
    const code = isSkewed ? 'RequestTimeTooSkewed' : 'NoSuchKey';
    const status = isSkewed ? 403 : 404;
    statuses.push(status);
    response.writeHead(status, { date: new Date(now).toUTCString(), 'content-type': 'application/xml' });
    response.end(request.method === 'HEAD' ? undefined : `<Error><Code>${code}</Code></Error>`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    statuses,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

// The SDK corrects its clock after every response, and retried after each correction. With a wrong clock, every
// "not found" used all attempts, and a node took minutes to start.
it.each([GetObjectCommand, HeadObjectCommand])(
  'a wrong clock is corrected once, and what is absent is absent: %o',
  async (Command) => {
    await using server = await serverBehind();
    const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
    const client = createS3Client({ endpoint: server.endpoint, credentials }, 4);
    const absent = async () => {
      await expect(client.send(new Command({ Bucket: 'bucket', Key: 'x' }))).rejects.toMatchObject({
        $metadata: { httpStatusCode: 404 },
      });
    };
    await absent();
    expect(server.statuses).toEqual([403, 404]);
    await absent();
    expect(server.statuses).toEqual([403, 404, 404]);
    client.destroy();
  },
);
