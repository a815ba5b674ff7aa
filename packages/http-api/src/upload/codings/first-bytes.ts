/**
 * Reads the first `count` bytes (fewer if the source is shorter) and returns them with the complete source.
 */
export async function withFirstBytes(
  source: AsyncIterable<Buffer>,
  count: number,
): Promise<{ first: Buffer; all: AsyncIterable<Buffer> }> {
  const chunks = source[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (head.length < count) {
    const { value, done } = await chunks.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  return { first: head.subarray(0, count), all: chained(head, chunks) };
}

async function* chained(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer, void> {
  if (head.length > 0) yield head;
  for (;;) {
    const { value, done } = await rest.next();
    if (done) return;
    yield value;
  }
}
