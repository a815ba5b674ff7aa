import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { toArrowSchema, toRecordBatch } from '../arrow-batches.ts';
import { DecodeError, UnsupportedError } from '../columns/column-batch.ts';
import { decodeAvro } from './decode-avro.ts';

const DATA =
  process.env.TESSERA_TEST_DATA ?? fileURLToPath(new URL('../../../../../shared/data', import.meta.url));
const FILES = join(DATA, 'files');

interface ManifestEntry {
  readonly path: string;
  readonly kind: string;
  readonly expect: string;
  readonly avsc: { readonly rows?: number; readonly error?: string };
}

/**
 * Row counts of files for which the manifest's reader counted wrongly or gave up, or from which we
 * deliberately differ.
 */
const ROWS: Readonly<Record<string, number>> = {
  // Its stream ends at the first null value.
  'avro/lang/c/tests/avro-1237-good.avro': 2,
  'avro/lang/c/tests/avro-1238-good.avro': 2,
  'arrow-testing/data/avro/alltypes_plain.bzip2.avro': 8,
  'arrow-testing/data/avro/alltypes_plain.xz.avro': 8,
  'arrow-testing/data/avro/alltypes_plain.zstandard.avro': 8,
  'avro/lang/c/tests/avro-1279-codec.avro': 3,
  'avro/lang/c/tests/avro-1279-no-codec.avro': 3,
  'avro/share/test/data/weather-zstd.avro': 5,
  'fastavro/tests/avro-files/double_float.avro': 1,
  'fastavro/tests/avro-files/lines.avro': 3,
  'fastavro/tests/avro-files/part-00000.avro': 17,
  'fastavro/tests/avro-files/test-deflate-0.avro': 400,
  'fastavro/tests/avro-files/test-deflate-1-A.avro': 400,
  'fastavro/tests/avro-files/test-deflate-1.avro': 400,
  'fastavro/tests/avro-files/test-deflate-3-A.avro': 400,
  'fastavro/tests/avro-files/test-deflate-6-B.avro': 200,
  'fastavro/tests/avro-files/test-deflate-9.avro': 400,
  'fastavro/tests/avro-files/test-null-B.avro': 200,
  'fastavro/tests/avro-files/test-null.avro': 400,
  'fastavro/tests/avro-files/test-snappy.avro': 400,
  'fastavro/tests/avro-files/test.avro': 2,
};

const REFUSED: Readonly<
  Record<string, { kind: typeof DecodeError | typeof UnsupportedError; message: RegExp }>
> = {
  'avro/lang/c/tests/avro-1237-bad-union-discriminant.avro': {
    kind: DecodeError,
    message: /^block 1 at byte 83: branch 2 of a union of 2 types/,
  },
  'avro/lang/c/tests/avro-1238-truncated.avro': { kind: DecodeError, message: /the file ends at byte 98/ },
  'avro/share/test/data/test.avro12': { kind: DecodeError, message: /before 1\.3/ },
  'fastavro/tests/avro-files/recursive.avro': { kind: UnsupportedError, message: /record LongList/ },
};

async function rowsOf(path: string): Promise<Record<string, unknown>[]> {
  const { fields, batches } = await decodeAvro(join(FILES, path));
  const schema = toArrowSchema(fields);
  const rows: Record<string, unknown>[] = [];
  for await (const batch of batches) {
    for (const row of toRecordBatch(schema, batch)) rows.push(JSON.parse(JSON.stringify(row, plain)));
  }
  return rows;
}

const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value);

describe.skipIf(!existsSync(FILES))(`Avro files of other projects (skipped without ${FILES})`, () => {
  const manifest: ManifestEntry[] = existsSync(FILES)
    ? readFileSync(join(FILES, 'manifest.jsonl'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .filter((entry: ManifestEntry) => entry.kind === 'avro')
    : [];

  it.each(manifest)('$path', async ({ path, avsc }) => {
    const refused = REFUSED[path];
    if (refused === undefined) {
      expect(await rowsOf(path)).toHaveLength(ROWS[path] ?? avsc.rows ?? -1);
      return;
    }
    const error = await rowsOf(path).catch((caught) => caught);
    expect(error).toBeInstanceOf(refused.kind);
    expect(error.message).toMatch(refused.message);
  });

  it.each([
    ['bzip2', 'alltypes_plain.bzip2.avro'],
    ['xz', 'alltypes_plain.xz.avro'],
    ['zstandard', 'alltypes_plain.zstandard.avro'],
    ['snappy', 'alltypes_plain.snappy.avro'],
  ])('reads the same from %s as without', async (_, file) => {
    const folder = 'arrow-testing/data/avro';
    expect(await rowsOf(`${folder}/${file}`)).toEqual(await rowsOf(`${folder}/alltypes_plain.avro`));
  });

  it('reads known values', async () => {
    expect((await rowsOf('avro/share/test/data/weather.avro'))[0]).toEqual({
      station: '011990-99999',
      time: '-619524000000n',
      temp: 0,
    });
    expect((await rowsOf('avro/share/test/data/schemas/withUnion/data.avro'))[0]).toEqual({
      data1: { string: 'textValue', int: null },
      data2: null,
    });
    expect((await rowsOf('arrow-testing/data/avro/nested_lists.snappy.avro'))[0]).toEqual({
      a: [
        [['a', 'b'], ['c']],
        [null, ['d']],
      ],
      b: 1,
    });
    expect((await rowsOf('fastavro/tests/avro-files/test-null.avro'))[0]).toEqual({
      stringField: 'bcoopyccxlnvddvstmcjg',
      longField: '-2244928484433289874n',
    });
    expect((await rowsOf('arrow-testing/data/avro/nullable.impala.avro'))[0]).toMatchObject({
      id: '1n',
      int_map: [
        { key: 'k1', value: 1 },
        { key: 'k2', value: 100 },
      ],
    });
    expect((await rowsOf('fastavro/tests/avro-files/no-fields.avro'))[0]).toEqual({ value: '{}' });
  });
});
