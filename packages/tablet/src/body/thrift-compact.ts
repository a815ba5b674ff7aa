/**
 * Thrift's compact protocol with structs in their original form: every field keeps its wire type, so that
 * decoded and unmodified data is encoded to the same bytes.
 * Source: https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
 */
export const WIRE = {
  true: 1,
  false: 2,
  byte: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  double: 7,
  binary: 8,
  list: 9,
  set: 10,
  map: 11,
  struct: 12,
} as const;

export interface ThriftField {
  /** One of `WIRE`. For booleans it also carries the value. */
  wire: number;
  value: ThriftValue;
}
/** The fields by id, in the order of the bytes. */
export type ThriftStruct = Map<number, ThriftField>;
export interface ThriftList {
  elementWire: number;
  values: ThriftValue[];
}
/** `number`: byte, i16, i32; `bigint`: i64; bytes: double (8, little endian) and binary. */
export type ThriftValue = boolean | number | bigint | Uint8Array | ThriftList | ThriftStruct;

const MAX_DEPTH = 32;

/** Thrown for bytes that violate the format. */
export class MalformedThrift extends Error {
  override readonly name = 'MalformedThrift';
}

/** @throws MalformedThrift */
export function decodeThrift(bytes: Uint8Array): ThriftStruct {
  return new Decoder(bytes).struct(0);
}

class Decoder {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  struct(depth: number): ThriftStruct {
    if (depth > MAX_DEPTH) throw new MalformedThrift('structs are nested too deep');
    const fields: ThriftStruct = new Map();
    let id = 0;
    for (;;) {
      const head = this.#byte();
      if (head === 0) return fields;
      const wire = head & 15;
      id = head >> 4 === 0 ? unzigzag(this.#varint32()) : id + (head >> 4);
      fields.set(id, { wire, value: this.#field(wire, depth) });
    }
  }

  #field(wire: number, depth: number): ThriftValue {
    if (wire === WIRE.true) return true;
    if (wire === WIRE.false) return false;
    return this.#value(wire, depth);
  }

  #value(wire: number, depth: number): ThriftValue {
    switch (wire) {
      case WIRE.true:
      case WIRE.false:
        return this.#byte() === WIRE.true;
      case WIRE.byte:
        return (this.#byte() << 24) >> 24;
      case WIRE.i16:
      case WIRE.i32:
        return unzigzag(this.#varint32());
      case WIRE.i64:
        return this.#zigzag64();
      case WIRE.double:
        return this.#slice(8);
      case WIRE.binary:
        return this.#slice(this.#varint32());
      case WIRE.list:
      case WIRE.set:
        return this.#list(depth + 1);
      case WIRE.struct:
        return this.struct(depth + 1);
      default:
        throw new MalformedThrift(`unknown wire type ${wire}`);
    }
  }

  #list(depth: number): ThriftList {
    if (depth > MAX_DEPTH) throw new MalformedThrift('lists are nested too deep');
    const head = this.#byte();
    const elementWire = head & 15;
    const length = head >> 4 === 15 ? this.#varint32() : head >> 4;
    if (length > this.#bytes.length - this.#at) throw new MalformedThrift('a list is longer than the bytes');
    const values = Array.from({ length }, () => this.#value(elementWire, depth));
    return { elementWire, values };
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new MalformedThrift('the bytes end early');
    return byte;
  }

  #slice(length: number): Uint8Array {
    if (length > this.#bytes.length - this.#at) throw new MalformedThrift('the bytes end early');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  #varint32(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.#byte();
      value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
    }
    throw new MalformedThrift('a number is too long');
  }

  #zigzag64(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n));
    }
    throw new MalformedThrift('a number is too long');
  }
}

const unzigzag = (n: number): number => (n >>> 1) ^ -(n & 1);

export function encodeThrift(struct: ThriftStruct): Uint8Array {
  const encoder = new Encoder();
  encoder.struct(struct);
  return encoder.bytes();
}

class Encoder {
  #buffer = Buffer.allocUnsafe(4096);
  #length = 0;

  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  struct(fields: ThriftStruct): void {
    let last = 0;
    for (const [id, { wire, value }] of fields) {
      const head = typeof value === 'boolean' ? (value ? WIRE.true : WIRE.false) : wire;
      const delta = id - last;
      if (delta > 0 && delta < 16) {
        this.#byte((delta << 4) | head);
      } else {
        this.#byte(head);
        this.#varint(zigzag(id));
      }
      last = id;
      if (typeof value !== 'boolean') this.#value(wire, value);
    }
    this.#byte(0);
  }

  #value(wire: number, value: ThriftValue): void {
    if (value instanceof Map) {
      this.struct(value);
    } else if (value instanceof Uint8Array) {
      if (wire !== WIRE.double) this.#varint(value.length);
      this.#slice(value);
    } else if (typeof value === 'boolean') {
      this.#byte(value ? WIRE.true : WIRE.false);
    } else if (typeof value === 'number') {
      if (wire === WIRE.byte) this.#byte(value & 255);
      else this.#varint(zigzag(value));
    } else if (typeof value === 'bigint') {
      this.#varint64(BigInt.asUintN(64, (value << 1n) ^ (value >> 63n)));
    } else {
      this.#list(value);
    }
  }

  #list({ elementWire, values }: ThriftList): void {
    if (values.length < 15) {
      this.#byte((values.length << 4) | elementWire);
    } else {
      this.#byte(0xf0 | elementWire);
      this.#varint(values.length);
    }
    for (const value of values) this.#value(elementWire, value);
  }

  #byte(byte: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = byte;
  }

  #slice(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #varint(value: number): void {
    let rest = value;
    while (rest > 127) {
      this.#byte((rest & 127) | 128);
      rest >>>= 7;
    }
    this.#byte(rest);
  }

  #varint64(value: bigint): void {
    let rest = value;
    while (rest > 127n) {
      this.#byte(Number(rest & 127n) | 128);
      rest >>= 7n;
    }
    this.#byte(Number(rest));
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + bytes));
    grown.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = grown;
  }
}

const zigzag = (n: number): number => ((n << 1) ^ (n >> 31)) >>> 0;
