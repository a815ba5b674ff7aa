/** A value of Thrift's compact protocol, as far as the metadata of Parquet needs it. */
export interface ThriftValue {
  readonly type: number;
  write(out: number[]): void;
}

const TYPE = { true: 1, false: 2, i8: 3, i32: 5, i64: 6, binary: 8, list: 9, struct: 12 } as const;

/** In a field, whose type is its value. */
export const flag = (value: boolean): ThriftValue => ({
  type: value ? TYPE.true : TYPE.false,
  write: () => {},
});

/** From -128 to 127. */
export const i8 = (value: number): ThriftValue => ({
  type: TYPE.i8,
  write: (out) => out.push(value & 0xff),
});

/** A whole number from 0 to 2^31 - 1. */
export const i32 = (value: number): ThriftValue => ({
  type: TYPE.i32,
  write: (out) => writeVarint(out, 2 * value),
});

/** A whole number from 0 to 2^52. */
export const i64 = (value: number): ThriftValue => ({
  type: TYPE.i64,
  write: (out) => writeVarint(out, 2 * value),
});

export const binary = (bytes: Uint8Array): ThriftValue => ({
  type: TYPE.binary,
  write(out) {
    writeVarint(out, bytes.length);
    for (const byte of bytes) out.push(byte);
  },
});

export const text = (value: string): ThriftValue => binary(new TextEncoder().encode(value));

/** All of one type. */
export const list = (values: readonly ThriftValue[]): ThriftValue => ({
  type: TYPE.list,
  write(out) {
    const type = values[0]?.type ?? TYPE.struct;
    if (values.length < 15) out.push((values.length << 4) | type);
    else {
      out.push(0xf0 | type);
      writeVarint(out, values.length);
    }
    for (const value of values) value.write(out);
  },
});

/** @param fields by their ids, which are below 16; those that are undefined are left out */
export const struct = (fields: Readonly<Record<number, ThriftValue | undefined>>): ThriftValue => ({
  type: TYPE.struct,
  write(out) {
    let last = 0;
    for (const [key, value] of Object.entries(fields)) {
      if (value === undefined) continue;
      const id = Number(key);
      out.push(((id - last) << 4) | value.type);
      value.write(out);
      last = id;
    }
    out.push(0);
  },
});

export function thriftBytes(value: ThriftValue): Uint8Array<ArrayBuffer> {
  const out: number[] = [];
  value.write(out);
  return Uint8Array.from(out);
}

export function writeVarint(out: number[], value: number): void {
  let rest = value;
  while (rest >= 0x80) {
    out.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  out.push(rest);
}
