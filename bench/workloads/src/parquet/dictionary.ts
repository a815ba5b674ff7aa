import { writeVarint } from './thrift.ts';

/** What the values of a column of numbers are: with a dictionary where that is shorter. */
export interface NumberSummary {
  readonly least: number;
  readonly greatest: number;
  readonly dictionary: NumberDictionary | undefined;
}

export interface NumberDictionary {
  /** In ascending order. */
  readonly numbers: readonly number[];
  /** Where each value is among them. */
  readonly places: Uint16Array;
}

/** The widest span of values that is looked at for a dictionary: places have 16 bits. */
const DICTIONARY_SPAN = 65_536;
/** A dictionary is made for numbers that occur this often on average. */
const OCCURRENCES = 4;

export function summarize(values: ArrayLike<number>): NumberSummary {
  let least = values[0]!;
  let greatest = least;
  for (let i = 1; i < values.length; i++) {
    const value = values[i]!;
    if (value < least) least = value;
    else if (value > greatest) greatest = value;
  }
  return { least, greatest, dictionary: dictionaryOf(values, least, greatest) };
}

function dictionaryOf(
  values: ArrayLike<number>,
  least: number,
  greatest: number,
): NumberDictionary | undefined {
  const span = greatest - least + 1;
  if (span > DICTIONARY_SPAN) return undefined;
  const placeOf = new Uint16Array(span);
  for (let i = 0; i < values.length; i++) placeOf[values[i]! - least] = 1;
  const numbers: number[] = [];
  for (let offset = 0; offset < span; offset++)
    if (placeOf[offset] === 1) {
      placeOf[offset] = numbers.length;
      numbers.push(least + offset);
    }
  if (numbers.length * OCCURRENCES > values.length) return undefined;
  const places = new Uint16Array(values.length);
  for (let i = 0; i < values.length; i++) places[i] = placeOf[values[i]! - least]!;
  return { numbers, places };
}

/** The body of a data page of places in a dictionary: their width, then one run of them, bit-packed. */
export function packPlaces(
  places: Uint8Array | Uint16Array,
  dictionarySize: number,
): Uint8Array<ArrayBuffer> {
  const width = Math.max(1, 32 - Math.clz32(dictionarySize - 1));
  const groups = Math.ceil(places.length / 8);
  const head = [width];
  writeVarint(head, 2 * groups + 1);
  const bytes = new Uint8Array(head.length + groups * width);
  bytes.set(head);
  let end = head.length;
  let bits = 0;
  let pending = 0;
  for (let i = 0; i < places.length; i++) {
    bits |= places[i]! << pending;
    pending += width;
    while (pending >= 8) {
      bytes[end++] = bits;
      bits >>>= 8;
      pending -= 8;
    }
  }
  if (pending > 0) bytes[end] = bits;
  return bytes;
}
