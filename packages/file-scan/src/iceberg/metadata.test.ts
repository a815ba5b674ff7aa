import { expect, it } from 'vitest';
import { icebergMetadata } from './metadata.ts';

type Reader = Parameters<typeof icebergMetadata>[0];

/** A reader of the files, by their paths below the table. */
function reader(files: Readonly<Record<string, string>>): Reader {
  const url = (path: string) => `s3://lake/t/${path}`;
  const found = {
    whole: async (wanted: string) => {
      const path = Object.keys(files).find((one) => url(one) === wanted);
      return path === undefined ? undefined : Buffer.from(files[path]!);
    },
    list: async () =>
      Object.keys(files)
        .filter((path) => path.includes('.metadata.json'))
        .map((path) => ({ url: url(path), bytes: files[path]!.length, modifiedAt: undefined })),
  };
  return found as unknown as Reader;
}

const metadata = JSON.stringify({ 'format-version': 2, location: 's3://lake/t' });
const twoVersions = { 'metadata/v1.metadata.json': metadata, 'metadata/v2.metadata.json': metadata };
const chosen = async (files: Readonly<Record<string, string>>) =>
  (await icebergMetadata(reader(files), 's3://lake/t/')).file.replace(/^.*\//, '');

it('reads the version that version-hint.text names, otherwise the newest', async () => {
  expect(await chosen(twoVersions)).toBe('v2.metadata.json');
  expect(await chosen({ ...twoVersions, 'metadata/version-hint.text': '1\n' })).toBe('v1.metadata.json');
  expect(await chosen({ ...twoVersions, 'metadata/version-hint.text': '9' })).toBe('v2.metadata.json');
});

it('ignores a version-hint.text that does not contain a number', async () => {
  for (const hint of ['', 'v1', '(1', '.*'])
    expect(await chosen({ ...twoVersions, 'metadata/version-hint.text': hint })).toBe('v2.metadata.json');
});
