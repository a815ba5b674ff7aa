import type { KernelType, ScalarTypeId } from '../types/kernel-type.ts';

/** Field metadata that names the kernel's type where Arrow's own type is only its nearest relative. */
export const TYPE_METADATA_KEY = 'tessera:type';

const INEXACT: ReadonlySet<ScalarTypeId> = new Set<ScalarTypeId>([
  'HUGEINT',
  'UHUGEINT',
  'BIGNUM',
  'BIT',
  'UUID',
  'JSON',
  'TIMETZ',
  'TIMESTAMPTZ_NS',
  'GEOMETRY',
  'VARIANT',
]);

export function carriesExactly(type: KernelType): boolean {
  switch (type.id) {
    case 'ENUM':
    case 'UNION':
      return false;
    case 'LIST':
    case 'ARRAY':
      return carriesExactly(type.child);
    case 'STRUCT':
      return type.fields.every((f) => carriesExactly(f.type));
    case 'MAP':
      return carriesExactly(type.key) && carriesExactly(type.value);
    case 'DECIMAL':
      return true;
    default:
      return !INEXACT.has(type.id);
  }
}
