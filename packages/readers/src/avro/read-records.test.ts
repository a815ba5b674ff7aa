import avsc from 'avsc';
import { expect, test } from 'vitest';
import { readAvroRecords } from './read-records.ts';

/** The bytes of a container file, as avsc itself writes one. */
async function fileOf(schema: avsc.Schema, records: readonly object[]): Promise<Buffer> {
  const encoder = new avsc.streams.BlockEncoder(schema);
  for (const record of records) encoder.write(record);
  encoder.end();
  return Buffer.concat(await encoder.toArray());
}

test('longs are bigints, with and without a logical type, and logical types are ignored', async () => {
  const fields = [
    { name: 'plain', type: 'long' },
    { name: 'time', type: { type: 'long', logicalType: 'timestamp-micros' } },
    { name: 'maybe', type: ['null', { type: 'long', logicalType: 'time-micros' }] },
    { name: 'day', type: { type: 'int', logicalType: 'date' } },
  ];
  const schema = { type: 'record', name: 'r', fields } as avsc.Schema;
  const file = await fileOf(schema, [{ plain: 1, time: 2, maybe: 3, day: 4 }]);
  const { records } = await readAvroRecords(file, 'f.avro');
  expect(records).toEqual([{ plain: 1n, time: 2n, maybe: 3n, day: 4 }]);
});

test('a record that ends too early is an error with the name of the file', async () => {
  const file = await fileOf({ type: 'record', name: 'r', fields: [{ name: 'a', type: 'string' }] }, [
    { a: 'text' },
  ]);
  await expect(readAvroRecords(file.subarray(0, -20), 'f.avro')).rejects.toMatchObject({ name: 'BAD_FILE' });
});
