import { statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { LOCAL_FILE_KEY, takeLocalFileKey } from '../local-file-key.ts';
import { multipartBody } from './multipart-body.ts';

const path = new URL(import.meta.url).pathname;
const file = { name: 'here', path, encoding: undefined, sizeBytes: statSync(path).size };
const bodyWith = async (key?: string) => {
  const body = multipartBody('SELECT 1', [file], Readable.from([]), key);
  const sent = await text(body.stream(() => {}));
  expect(Buffer.byteLength(sent)).toBe(body.lengthBytes);
  return sent;
};

it('sends the content of files, or with a key only their paths', async () => {
  expect(await bodyWith()).toContain('only their paths');
  const inPlace = await bodyWith('secret');
  expect(inPlace).not.toContain('only their paths');
  expect(inPlace).toContain(`name="${encodeURIComponent(path)}"; key="secret"`);
});

it('the key leaves the environment of the engine, which its processes inherit', () => {
  process.env[LOCAL_FILE_KEY] = 'secret';
  expect(takeLocalFileKey()).toBe('secret');
  expect(takeLocalFileKey()).toBeUndefined();
});
