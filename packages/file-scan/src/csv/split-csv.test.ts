import { SeededRandom } from '@tessera/common';
import { expect, it } from 'vitest';
import type { CsvBytes, ReadRange } from '../file-scan.ts';
import { QuoteState } from './quote-state.ts';
import { splitCsv } from './split-csv.ts';

const SHAPES: readonly CsvBytes[] = [
  { delimiter: ',', quote: '"', escape: '"' },
  { delimiter: ';', quote: "'", escape: '\\' },
  { delimiter: '\t', quote: '', escape: '' },
];
const FIELDS = 3;

/** A random file and the starts of its records. */
function randomFile(random: SeededRandom, shape: CsvBytes) {
  const lineEnd = random.pick(['\n', '\r\n']);
  const starts = new Set<number>();
  let [text, bytes] = ['', 0];
  for (let i = random.between(1, 3_000); i > 0; i--) {
    starts.add(bytes);
    const fields = Array.from({ length: FIELDS }, () => randomField(random, shape));
    const record = fields.join(shape.delimiter) + lineEnd;
    text += record;
    bytes += Buffer.byteLength(record);
  }
  return { content: Buffer.from(text), starts };
}

function randomField(random: SeededRandom, { delimiter, quote, escape: escaping }: CsvBytes): string {
  const plain = random.pick(['', 'a', 'é—x', '12.5', 'long text of a field '.repeat(random.between(1, 5))]);
  if (quote === '' || random.chance(0.6)) return plain;
  const parts = [
    plain,
    delimiter,
    '\n',
    '\r\n',
    `${escaping}${quote}`,
    `x${delimiter}y${delimiter}z\n1,2,3\n`,
  ];
  const content = Array.from({ length: random.between(0, 4) }, () => random.pick(parts)).join('');
  return quote + content + quote;
}

/** Whether each part ends outside of quotes, which reading the parts verifies. */
const isProven = (
  content: Buffer,
  cuts: readonly (readonly [number, number])[],
  shape: CsvBytes,
  chunk: number,
) =>
  cuts.every(([from, to]) => {
    const quotes = new QuoteState(shape);
    for (let at = from; at < to; at += chunk) quotes.push(content.subarray(at, Math.min(to, at + chunk)));
    return !quotes.isQuoted;
  });

it('All parts together are the file, and parts that pass the check begin at records', async () => {
  const random = new SeededRandom(20261122);
  let [files, cutFiles, proven] = [0, 0, 0];
  for (; files < 150; files++) {
    const shape = random.pick(SHAPES);
    const { content, starts } = randomFile(random, shape);
    const read: ReadRange = async (_, start, end) => content.subarray(start, end);
    const file = { url: 'x', bytes: content.length };
    const options = { shape, columns: FIELDS, unitBytes: random.between(200, 20_000), read };
    const parts = (await splitCsv(file, 0, options)).map(({ part }) => part!);
    expect(Buffer.concat(parts.map(([from, to]) => content.subarray(from, to))).equals(content)).toBe(true);
    if (parts.length > content.length / options.unitBytes / 2 && parts.length > 1) cutFiles += 1;
    if (!isProven(content, parts, shape, random.between(1, 5_000))) continue;
    proven += 1;
    for (const [from] of parts) expect(starts.has(from), `part at ${from} of file ${files}`).toBe(true);
  }
  expect(cutFiles).toBeGreaterThan(100);
  expect(proven).toBeGreaterThan(140);
});

it('A part that begins inside quotes makes the preceding one fail the check', () => {
  const shape = SHAPES[0]!;
  const content = Buffer.from('a,"x\n1,2\n3,4\n",b\nc,d,e\n');
  const within = content.indexOf('1,2');
  expect(
    isProven(
      content,
      [
        [0, within],
        [within, content.length],
      ],
      shape,
      3,
    ),
  ).toBe(false);
  const behind = content.indexOf('c,d');
  expect(
    isProven(
      content,
      [
        [0, behind],
        [behind, content.length],
      ],
      shape,
      3,
    ),
  ).toBe(true);
});

it('An offset that can be read in two ways is not used', async () => {
  const content = Buffer.from('","\n'.repeat(5_000));
  const read: ReadRange = async (_, start, end) => content.subarray(start, end);
  const options = { shape: SHAPES[0]!, columns: 1, unitBytes: 1_000, read };
  const parts = (await splitCsv({ url: 'x', bytes: content.length }, 0, options)).map(({ part }) => part!);
  expect(isProven(content, parts, SHAPES[0]!, 100)).toBe(true);
});
