import { Type, UnionMode } from 'apache-arrow/enum';
import type { Field } from 'apache-arrow/schema';
import { DataType, type FixedSizeBinary, type FixedSizeList, type Union } from 'apache-arrow/type';

/**
 * The buffers of an Arrow array, identical in the C Data Interface and in IPC (version 5): first a validity
 * bitmap (except for `null` and `union`), then the buffers of the kind, then the children.
 */
export type Layout =
  | { readonly kind: 'null' }
  | { readonly kind: 'bits' }
  | { readonly kind: 'fixed'; readonly bytes: number }
  | { readonly kind: 'bytes'; readonly offsetBytes: 4 | 8 }
  | { readonly kind: 'list'; readonly offsetBytes: 4 | 8; readonly child: Field }
  | { readonly kind: 'fixedList'; readonly size: number; readonly child: Field }
  | { readonly kind: 'struct'; readonly children: readonly Field[] }
  | { readonly kind: 'union'; readonly dense: boolean; readonly children: readonly Field[] };

/** The number of buffers of the array itself, without children. */
export function bufferCount(layout: Layout): number {
  switch (layout.kind) {
    case 'null':
      return 0;
    case 'struct':
    case 'fixedList':
      return 1;
    case 'union':
      return layout.dense ? 2 : 1;
    case 'bytes':
      return 3;
    default:
      return 2;
  }
}

export function childrenOf(layout: Layout): readonly Field[] {
  switch (layout.kind) {
    case 'list':
    case 'fixedList':
      return [layout.child];
    case 'struct':
    case 'union':
      return layout.children;
    default:
      return [];
  }
}

/**
 * The layout of a type; for a dictionary-encoded type, that of its indices. Undefined for unsupported types.
 */
export function layoutOf(type: DataType): Layout | undefined {
  if (DataType.isDictionary(type)) return layoutOf(type.indices);
  switch (type.typeId) {
    case Type.Null:
      return { kind: 'null' };
    case Type.Bool:
      return { kind: 'bits' };
    case Type.Int:
      return fixed((type as DataType & { bitWidth: number }).bitWidth / 8);
    case Type.Float:
      return fixed(2 << (type as DataType & { precision: number }).precision);
    case Type.Decimal:
      return fixed((type as DataType & { bitWidth: number }).bitWidth / 8);
    case Type.Date:
      return fixed((type as DataType & { unit: number }).unit === 0 ? 4 : 8);
    case Type.Time:
      return fixed((type as DataType & { bitWidth: number }).bitWidth / 8);
    case Type.Timestamp:
    case Type.Duration:
      return fixed(8);
    case Type.Interval:
      return fixed([4, 8, 16][(type as DataType & { unit: number }).unit] ?? 16);
    case Type.FixedSizeBinary:
      return fixed((type as FixedSizeBinary).byteWidth);
    case Type.Binary:
    case Type.Utf8:
      return { kind: 'bytes', offsetBytes: 4 };
    case Type.LargeBinary:
    case Type.LargeUtf8:
      return { kind: 'bytes', offsetBytes: 8 };
    case Type.List:
    case Type.Map:
      return { kind: 'list', offsetBytes: 4, child: type.children[0]! };
    case Type.LargeList:
      return { kind: 'list', offsetBytes: 8, child: type.children[0]! };
    case Type.FixedSizeList:
      return { kind: 'fixedList', size: (type as FixedSizeList).listSize, child: type.children[0]! };
    case Type.Struct:
      return { kind: 'struct', children: type.children };
    case Type.Union:
      return { kind: 'union', dense: (type as Union).mode === UnionMode.Dense, children: type.children };
    default:
      return undefined;
  }
}

const fixed = (bytes: number): Layout => ({ kind: 'fixed', bytes });
