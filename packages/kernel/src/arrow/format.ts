import { Type, UnionMode } from 'apache-arrow/enum';
import type { Field } from 'apache-arrow/schema';
import * as arrow from 'apache-arrow/type';

/** Format strings of the Arrow C Data Interface without parameters. */
const SIMPLE: Readonly<Record<string, () => arrow.DataType>> = {
  n: () => new arrow.Null(),
  b: () => new arrow.Bool(),
  c: () => new arrow.Int8(),
  C: () => new arrow.Uint8(),
  s: () => new arrow.Int16(),
  S: () => new arrow.Uint16(),
  i: () => new arrow.Int32(),
  I: () => new arrow.Uint32(),
  l: () => new arrow.Int64(),
  L: () => new arrow.Uint64(),
  e: () => new arrow.Float16(),
  f: () => new arrow.Float32(),
  g: () => new arrow.Float64(),
  u: () => new arrow.Utf8(),
  U: () => new arrow.LargeUtf8(),
  z: () => new arrow.Binary(),
  Z: () => new arrow.LargeBinary(),
  tdD: () => new arrow.DateDay(),
  tdm: () => new arrow.DateMillisecond(),
  tts: () => new arrow.TimeSecond(),
  ttm: () => new arrow.TimeMillisecond(),
  ttu: () => new arrow.TimeMicrosecond(),
  ttn: () => new arrow.TimeNanosecond(),
  tDs: () => new arrow.DurationSecond(),
  tDm: () => new arrow.DurationMillisecond(),
  tDu: () => new arrow.DurationMicrosecond(),
  tDn: () => new arrow.DurationNanosecond(),
  tiM: () => new arrow.IntervalYearMonth(),
  tiD: () => new arrow.IntervalDayTime(),
  tin: () => new arrow.IntervalMonthDayNano(),
};
const TIME_UNITS = ['s', 'm', 'u', 'n'];

/** The type for a format string and its children; throws for a type that is not supported. */
export function typeOfFormat(format: string, children: Field[]): arrow.DataType {
  const simple = SIMPLE[format];
  if (simple !== undefined) return simple();
  const [head, tail = ''] = splitOnce(format, ':');
  const numbers = tail.split(',').map(Number);
  switch (head) {
    case 'd':
      return new arrow.Decimal(numbers[1]!, numbers[0]!, numbers[2] ?? 128);
    case 'w':
      return new arrow.FixedSizeBinary(numbers[0]!);
    case '+l':
      return new arrow.List(children[0]!);
    case '+L':
      return new arrow.LargeList(children[0]!);
    case '+w':
      return new arrow.FixedSizeList(numbers[0]!, children[0]!);
    case '+s':
      return new arrow.Struct(children);
    case '+m':
      return new arrow.Map_(children[0]! as Field<arrow.Struct>);
    case '+ud':
      return new arrow.DenseUnion(numbers, children);
    case '+us':
      return new arrow.SparseUnion(numbers, children);
    case 'tss':
    case 'tsm':
    case 'tsu':
    case 'tsn':
      return new arrow.Timestamp(TIME_UNITS.indexOf(head[2]!), tail === '' ? null : tail);
    default:
      throw new Error(`Arrow format "${format}" is not known`);
  }
}

/**
 * The format string of a type (for a dictionary-encoded type, of its indices); undefined if there is none.
 */
export function formatOfType(type: arrow.DataType): string | undefined {
  if (arrow.DataType.isDictionary(type)) return formatOfType(type.indices);
  if (arrow.DataType.isDecimal(type))
    return `d:${type.precision},${type.scale}${type.bitWidth === 128 ? '' : `,${type.bitWidth}`}`;
  if (arrow.DataType.isFixedSizeBinary(type)) return `w:${type.byteWidth}`;
  if (arrow.DataType.isTimestamp(type)) return `ts${TIME_UNITS[type.unit]}:${type.timezone ?? ''}`;
  if (arrow.DataType.isFixedSizeList(type)) return `+w:${type.listSize}`;
  if (arrow.DataType.isUnion(type)) {
    return `+u${type.mode === UnionMode.Dense ? 'd' : 's'}:${Array.from(type.typeIds).join(',')}`;
  }
  if (arrow.DataType.isList(type)) return '+l';
  if (type.typeId === Type.LargeList) return '+L';
  if (arrow.DataType.isStruct(type)) return '+s';
  if (arrow.DataType.isMap(type)) return '+m';
  return FORMAT_BY_NAME.get(type.toString());
}

const FORMAT_BY_NAME = new Map(Object.entries(SIMPLE).map(([format, make]) => [make().toString(), format]));

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
