import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { decodeEntry, encodeEntry } from './entry-codec.ts';

test('the example of the documentation is an entry', () => {
  const page = readFileSync(new URL('../../../../docs/metadata-log.md', import.meta.url), 'utf8');
  const example = /```json\n(.*?)```/s.exec(page)![1]!;
  const { entry } = decodeEntry(new TextEncoder().encode(example));
  const { crc32c: _, ...written } = JSON.parse(new TextDecoder().decode(encodeEntry(entry).bytes));
  expect(written).toEqual(JSON.parse(example));
});
