import { describe, expect, it } from 'vitest';
import { parseFilePart, sizeParts } from './file-part.ts';

describe('--file', () => {
  it.each([
    ['sales=./sales.parquet', { name: 'sales', path: './sales.parquet', encoding: undefined }],
    ['./dir/sales.parquet', { name: 'sales.parquet', path: './dir/sales.parquet', encoding: undefined }],
    ['a=b.csv.zst,encoding=ZSTD', { name: 'a', path: 'b.csv.zst', encoding: 'zstd' }],
    ['a=b=c,d', { name: 'a', path: 'b=c,d', encoding: undefined }],
    ['a=-', { name: 'a', path: '-', encoding: undefined }],
  ])('%s', (text, part) => {
    expect(parseFilePart(text)).toEqual(part);
  });

  it.each([
    ['a=', 'expected name=path'],
    ['my file.csv', 'the name "my file.csv"'],
    ['sql=x', 'the name "sql" is that of the statement'],
    ['a=b,encoding=bzip2', 'unknown encoding "bzip2"'],
  ])('refuses %s', (text, why) => {
    expect(() => parseFilePart(text)).toThrow(why);
  });

  it('refuses a name given twice', async () => {
    const part = parseFilePart('a=/dev/null');
    await expect(sizeParts([part, part])).rejects.toThrow('two files are named "a"');
  });

  it('names a file that cannot be read, and the reason', async () => {
    await expect(sizeParts([parseFilePart('a=/nowhere/a.csv')])).rejects.toThrow(
      /^error: \/nowhere\/a\.csv: there is no such file or directory$/,
    );
    await expect(sizeParts([parseFilePart('a=/tmp')])).rejects.toThrow('error: /tmp: it is a directory');
  });
});
