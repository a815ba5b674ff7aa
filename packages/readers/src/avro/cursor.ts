import { DecodeError } from '../columns/column-batch.ts';

/**
 * Reads Avro's primitive encodings from one block. Reads past the end return zeros, so `checkEnd` must be
 * called after each row.
 */
export class Cursor {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  position = 0;
  /** The low half of the integer that `readLong` read; `high` is the other half. */
  low = 0;
  high = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get remaining(): number {
    return this.bytes.length - this.position;
  }

  checkEnd(): void {
    if (this.position > this.bytes.length) throw new DecodeError('a value reaches beyond its block');
  }

  /** Reads a zigzag variable-length integer of up to 64 bits into `low` and `high`. */
  readLong(): void {
    const { bytes } = this;
    let byte = bytes[this.position++]!;
    let low = byte & 0x7f;
    let shift = 7;
    while (byte & 0x80 && shift < 28) {
      byte = bytes[this.position++]!;
      low |= (byte & 0x7f) << shift;
      shift += 7;
    }
    if (!(byte & 0x80)) {
      this.low = (low >>> 1) ^ -(low & 1);
      this.high = this.low >> 31;
      return;
    }
    this.#readLongTail(low);
  }

  readInt(): number {
    this.readLong();
    if (this.high !== this.low >> 31) throw new DecodeError('an int value does not fit 32 bits');
    return this.low;
  }

  /** Reads a count or length: 0 … 2^31-1. */
  readLength(): number {
    this.readLong();
    if (this.high !== 0 || this.low < 0) throw new DecodeError('a length is negative or absurdly large');
    return this.low;
  }

  /** Reads the length of a string or bytes value, which must lie within the block. */
  readByteLength(): number {
    const length = this.readLength();
    if (length > this.remaining) throw new DecodeError(`a value of ${length} bytes reaches beyond its block`);
    return length;
  }

  /** Skips `size` bytes and returns the position before them. */
  skip(size: number): number {
    if (size > this.remaining) throw new DecodeError('a value reaches beyond its block');
    const start = this.position;
    this.position += size;
    return start;
  }

  readBoolean(): boolean {
    const byte = this.bytes[this.position++];
    if (byte !== 0 && byte !== 1) throw new DecodeError('a boolean is neither 0 nor 1');
    return byte === 1;
  }

  /** Continues after four bytes (28 bits); up to six more follow. */
  #readLongTail(low28: number): void {
    const { bytes } = this;
    let middle = 0;
    let top = 0;
    let byte = 0x80;
    for (let shift = 0; byte & 0x80 && shift < 28; shift += 7) {
      byte = bytes[this.position++]!;
      middle |= (byte & 0x7f) << shift;
    }
    for (let shift = 0; byte & 0x80 && shift < 14; shift += 7) {
      byte = bytes[this.position++]!;
      top |= (byte & 0x7f) << shift;
    }
    if (byte & 0x80 || top > 0xff) throw new DecodeError('a variable-length integer is longer than 64 bits');
    const low = low28 | (middle << 28);
    const high = (middle >>> 4) | (top << 24);
    const sign = -(low & 1);
    this.low = ((low >>> 1) | (high << 31)) ^ sign;
    this.high = (high >>> 1) ^ sign;
  }
}
