import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { query, rows } from './http.ts';
import { writeIceberg } from './iceberg-writer.ts';
import type { FolderScope } from './text-folders.ts';

const COMMIT = { snapshot: 3051729675574597004n, time: Date.UTC(2024, 0, 1) };
const UUID = '0123e4e7-e89b-12d3-a456-426614174fff';
const MINUS_FIVE = Buffer.from([255, 255, 255, 251]);

/** Tests of Iceberg tables with what only some writers of the format do. */
export function testForeignIceberg({ node, directory, parquet }: Omit<FolderScope, 'write'>): void {
  /** `{a: 1, b: 2}` as the kernel's option FIELD_IDS. */
  const ids = (text: string) => `, FIELD_IDS {${text}}`;

  describe('READ_ICEBERG of tables of other writers', () => {
    it.each([
      ['date', { type: 'int', logicalType: 'date' }, 19_723, '2024-01-01'],
      ['time', { type: 'long', logicalType: 'time-micros' }, 30_069_000_001, '08:21:09.000001'],
      ['timestamp', { type: 'long', logicalType: 'timestamp-micros' }, -1, '1969-12-31 23:59:59.999999'],
      ['timestamptz', { type: 'long', logicalType: 'timestamp-micros' }, 0, '1970-01-01 00:00:00+00'],
      ['timestamp_ns', { type: 'long' }, -1_000, '1969-12-31 23:59:59.999999'],
      ['decimal(9, 2)', { type: 'fixed', name: 'd', size: 4, logicalType: 'decimal' }, MINUS_FIVE, '-0.05'],
      [
        'uuid',
        { type: 'fixed', name: 'u', size: 16, logicalType: 'uuid' },
        Buffer.from(UUID.replaceAll('-', ''), 'hex'),
        UUID,
      ],
      ['binary', 'bytes', Buffer.from('a\\'), '\\x615c'],
      ['fixed[2]', { type: 'fixed', name: 'f', size: 2 }, Buffer.from([0, 255]), '\\x00ff'],
      ['long', 'long', 2 ** 53 - 1, '9007199254740991'],
      ['double', 'double', 0.1, '0.1'],
      ['boolean', 'boolean', true, 'true'],
    ])('reads a column of type %s from the partition', async (type, avro, value, text) => {
      const name = `warehouse/by_${type.replace(/\W/g, '')}`;
      await parquet(`${name}/data/1.parquet`, 'SELECT 7 AS a', ids('a: 1'));
      await writeIceberg({
        directory: join(directory(), name),
        partition: { avro },
        metadata: {
          schemas: [
            {
              'schema-id': 0,
              fields: [
                { id: 1, name: 'a', type: 'int' },
                { id: 2, name: 'p', type },
              ],
            },
          ],
          'partition-specs': [
            {
              'spec-id': 0,
              fields: [{ 'source-id': 2, 'field-id': 1000, name: 'part', transform: 'identity' }],
            },
          ],
        },
        commits: [{ ...COMMIT, files: [{ path: 'data/1.parquet', rows: 1, partition: value }] }],
      });
      expect(await rows(node(), `SELECT a, p::text FROM READ_ICEBERG('${directory()}/${name}')`)).toEqual([
        [7, text],
      ]);
    });

    it('finds the columns of deletes whose ids have 64 bits', async () => {
      const name = 'warehouse/long_ids';
      await parquet(`${name}/data/1.parquet`, 'SELECT x AS a FROM range(3) t(x)', ids('a: 1'));
      await parquet(`${name}/data/keys.parquet`, 'SELECT 1::BIGINT AS a', ids('a: 1'));
      await writeIceberg({
        directory: join(directory(), name),
        equalityIdType: 'long',
        metadata: { schemas: [{ 'schema-id': 0, fields: [{ id: 1, name: 'a', type: 'long' }] }] },
        commits: [
          { ...COMMIT, files: [{ path: 'data/1.parquet', rows: 3 }] },
          {
            snapshot: COMMIT.snapshot + 1n,
            time: COMMIT.time + 1,
            files: [{ path: 'data/keys.parquet', rows: 1, content: 2, equalityIds: [1] }],
          },
        ],
      });
      expect(
        await rows(node(), `SELECT a::int FROM READ_ICEBERG('${directory()}/${name}') ORDER BY 1`),
      ).toEqual([[0], [2]]);
    });

    it('distinguishes columns whose names differ by the case of letters', async () => {
      const name = 'warehouse/cases';
      await parquet(`${name}/data/1.parquet`, 'SELECT 7 AS a, 8 AS b', ids('a: 1, b: 2'));
      await writeIceberg({
        directory: join(directory(), name),
        metadata: {
          schemas: [
            {
              'schema-id': 0,
              fields: [
                { id: 1, name: 'id', type: 'int' },
                { id: 2, name: 'ID', type: 'int' },
              ],
            },
          ],
        },
        commits: [{ ...COMMIT, files: [{ path: 'data/1.parquet', rows: 1 }] }],
      });
      expect(await rows(node(), `SELECT id, "ID_1" FROM READ_ICEBERG('${directory()}/${name}')`)).toEqual([
        [7, 8],
      ]);
    });

    it('reads a copied table if the options say so', async () => {
      const moved = join(directory(), 'warehouse/moved');
      await parquet('warehouse/moved/data/1.parquet', 'SELECT 7 AS a', ids('a: 1'));
      const metadata = {
        schemas: [{ 'schema-id': 0, fields: [{ id: 1, name: 'a', type: 'int' }] }],
        'partition-specs': [{ 'spec-id': 0, fields: [] }],
      };
      const places = [
        { location: 's3a://elsewhere/t' },
        { location: './t', paths: 't' },
        { location: 'gs://elsewhere/t', paths: 'some/data/t' },
      ];
      for (const place of places) {
        await writeIceberg({
          directory: moved,
          ...place,
          metadata,
          commits: [{ ...COMMIT, files: [{ path: 'data/1.parquet', rows: 1 }] }],
        });
        const { location, paths = location.replace('s3a', 's3') } = place;
        expect(
          await rows(node(), `SELECT a FROM READ_ICEBERG('${moved}/', ALLOW_MOVED_PATHS => TRUE)`),
        ).toEqual([[7]]);
        expect(
          (await query(node(), `SELECT a FROM READ_ICEBERG('${moved}')`)).json().errors[0],
        ).toMatchObject({
          description: expect.stringContaining(`${paths}/metadata`),
        });
      }
    });
  });
}
