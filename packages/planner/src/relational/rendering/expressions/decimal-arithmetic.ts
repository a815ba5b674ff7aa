import type { PlanExpression, PlanType } from '../../../plan-nodes.ts';
import { expressionType } from '../../expressions/expression-type.ts';

interface Decimal {
  readonly width: number;
  readonly scale: number;
}

const MAX_WIDTH = 38;
/** The number of digits that a 64-bit integer holds. */
const NARROW_WIDTH = 18;

/**
 * The operands of `+`, `-`, `*`, `%` over decimals as they were before the binder widened them, so that
 * binding them again gives the same type. Undefined if no such operands are found; the result must then be
 * cast.
 */
export function decimalOperands(
  name: string,
  operands: readonly PlanExpression[],
  result: PlanType,
): readonly PlanExpression[] | undefined {
  const [left, right] = operands;
  if (left === undefined || right === undefined) return undefined;
  for (const l of narrower(left))
    for (const r of narrower(right)) {
      const [a, b] = [decimalOf(l), decimalOf(r)];
      if (a === undefined || b === undefined) continue;
      // At least one operand must be a decimal, or the kernel would not use its decimal arithmetic.
      if (expressionType(l).id !== 'DECIMAL' && expressionType(r).id !== 'DECIMAL') continue;
      const bound = boundType(name, a, b);
      if (bound?.width === result.type_info?.width && bound?.scale === result.type_info?.scale) return [l, r];
    }
  return undefined;
}

/** The type that the kernel gives the operation. */
function boundType(name: string, a: Decimal, b: Decimal): Decimal | undefined {
  const widest = Math.max(a.width, b.width);
  if (name === '*') {
    const scale = a.scale + b.scale;
    if (scale > MAX_WIDTH) return undefined;
    return { width: clamped(a.width + b.width, widest, scale < NARROW_WIDTH), scale };
  }
  if (name !== '+' && name !== '-') return undefined;
  const scale = Math.max(a.scale, b.scale);
  const required = Math.max(scale + Math.max(a.width - a.scale, b.width - b.scale), widest) + 1;
  return { width: clamped(required, widest, true), scale };
}

function clamped(width: number, widest: number, mayNarrow: boolean): number {
  if (width > NARROW_WIDTH && widest <= NARROW_WIDTH && mayNarrow) return NARROW_WIDTH;
  return Math.min(width, MAX_WIDTH);
}

const INTEGER_WIDTHS: Readonly<Record<string, number>> = {
  TINYINT: 3,
  SMALLINT: 5,
  INTEGER: 10,
  BIGINT: 19,
  HUGEINT: 38,
  UTINYINT: 3,
  USMALLINT: 5,
  UINTEGER: 10,
  UBIGINT: 20,
  UHUGEINT: 38,
};

function decimalOf(expression: PlanExpression): Decimal | undefined {
  const { id, type_info } = expressionType(expression);
  if (id === 'DECIMAL') return { width: type_info?.width ?? NARROW_WIDTH, scale: type_info?.scale ?? 3 };
  const width = INTEGER_WIDTHS[id];
  return width === undefined ? undefined : { width, scale: 0 };
}

/** The operand, followed by the forms from which the binder may have made it without changing its value. */
function narrower(operand: PlanExpression): readonly PlanExpression[] {
  const own = decimalOf(operand);
  if (own === undefined) return [operand];
  const { child, value, type } = operand;
  if (type === 'OPERATOR_CAST' && operand.try_cast !== true && child !== undefined) {
    const inner = decimalOf(child);
    const isLossless =
      inner !== undefined && inner.scale <= own.scale && inner.width - inner.scale <= own.width - own.scale;
    return isLossless ? [operand, child] : [operand];
  }
  if (type !== 'VALUE_CONSTANT' || value === undefined || value.is_null === true) return [operand];
  return [operand, ...narrowerConstants(operand, own)];
}

/** A constant in each width that can hold it, narrowest first. */
function narrowerConstants(operand: PlanExpression, { width, scale }: Decimal): readonly PlanExpression[] {
  const { value } = operand;
  const unscaled = value?.value;
  if (value === undefined || (typeof unscaled !== 'number' && typeof unscaled !== 'bigint')) return [];
  const digits = BigInt(unscaled).toString().replace('-', '').length;
  const constants: PlanExpression[] = [];
  for (let w = Math.max(digits, scale, 1); w < width; w += 1)
    constants.push({
      ...operand,
      value: {
        ...value,
        type: { id: 'DECIMAL', type_info: { type: 'DECIMAL_TYPE_INFO', width: w, scale } },
      },
    });
  return constants;
}
