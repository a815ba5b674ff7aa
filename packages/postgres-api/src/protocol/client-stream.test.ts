import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { ClientStream } from './client-stream.ts';

const SYNC = Buffer.from([0x53, 0, 0, 0, 4]);
const MESSAGES = 100;
/** How long a message is worked on, without a turn of the event loop. */
const WORK_MS = 1;

it('other connections get their turn between messages that arrived together', async () => {
  const socket = new PassThrough();
  const stream = new ClientStream(socket as unknown as Socket, { writeIdleMs: 1_000 });
  socket.write(Buffer.concat(Array.from({ length: MESSAGES }, () => SYNC)));
  await stream.message(100);
  let readWhenOthersRan = 0;
  let read = 1;
  setImmediate(() => {
    readWhenOthersRan = read;
  });
  for (; read < MESSAGES; read += 1) {
    expect(await stream.message(100)).toMatchObject({ type: SYNC[0] });
    const until = performance.now() + WORK_MS;
    while (performance.now() < until);
  }
  expect(readWhenOthersRan).toBeGreaterThan(0);
  expect(readWhenOthersRan).toBeLessThan(MESSAGES);
});
