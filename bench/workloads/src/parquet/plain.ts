/** Numbers in the PLAIN encoding, `width` bytes each. Exact from -2^53 to 2^53. */
export function plainNumbers(values: ArrayLike<number>, width: 4 | 8): Uint8Array<ArrayBuffer> {
  const words = new Int32Array((values.length * width) / 4);
  if (width === 4) for (let i = 0; i < values.length; i++) words[i] = values[i]!;
  else
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!;
      words[2 * i] = value;
      words[2 * i + 1] = Math.floor(value / 0x1_0000_0000);
    }
  return new Uint8Array(words.buffer);
}

/** Texts in the PLAIN encoding. */
export function plainTexts(texts: readonly string[]): Uint8Array<ArrayBuffer> {
  const parts = texts.map((text) => Buffer.from(text));
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + 4 + part.length, 0));
  const view = new DataView(bytes.buffer);
  let end = 0;
  for (const part of parts) {
    view.setUint32(end, part.length, true);
    bytes.set(part, end + 4);
    end += 4 + part.length;
  }
  return bytes;
}
