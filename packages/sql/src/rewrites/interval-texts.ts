import { type CastNode, constant, stringLiteral } from '../tree.ts';

const YEARS_MONTHS = /^\s*([-+]?)(\d+)-(\d+)\s*$/;
const DAYS_TIME = /^\s*([-+]?\d+)\s+([-+]?\d+:\d+(?::\d+(?:\.\d+)?)?)\s*$/;
const LAST_SECONDS = /^(\s*(?:[-+]?[\d.]+\s*[a-z]+\s+)*)([-+]?\d+(?:\.\d+)?)\s*$/i;
const ISO = /^\s*P(?=.)([^T]*)(?:T(.+))?$/;
const DATE_UNITS: Readonly<Record<string, string>> = { Y: 'years', M: 'months', W: 'weeks', D: 'days' };
const TIME_UNITS: Readonly<Record<string, string>> = { H: 'hours', M: 'minutes', S: 'seconds' };

/**
 * Forms of literal intervals that the kernel does not read: `1-2` (years and months), `1 2:03` (days and a time), `1 min 5` (seconds without
 * a unit), `-1 day +2 hours`, `1 month - 1 day`, and those of ISO 8601, such as `P1Y2M3DT4H5M6S`.
 */
export function intervalLiteral(node: CastNode): CastNode {
  const text = node.cast_type.id === 'INTERVAL' ? stringLiteral(node.child) : undefined;
  // The kernel reads no plus sign, and no blank after a minus sign.
  const unsigned = text?.replace(/([-+])\s+(?=[\d.])/g, '$1').replace(/\+(?=[\d.])/g, '');
  const plain = unsigned === undefined ? undefined : (plainText(unsigned) ?? unsigned);
  return plain === undefined || plain === text ? node : { ...node, child: constant(plain) };
}

function plainText(text: string): string | undefined {
  const [, sign, years, months] = YEARS_MONTHS.exec(text) ?? [];
  if (years !== undefined) return `${sign}${years} years ${sign}${months} months`;
  const [, days, time] = DAYS_TIME.exec(text) ?? [];
  if (days !== undefined) return `${days} days ${time}`;
  const [, before, seconds] = LAST_SECONDS.exec(text) ?? [];
  if (seconds !== undefined) return `${before}${seconds} seconds`;
  const [, date = '', clock = ''] = ISO.exec(text) ?? [];
  const parts = [...amounts(date, DATE_UNITS), ...amounts(clock, TIME_UNITS)];
  return parts.length === 0 || parts.includes(undefined) ? undefined : parts.join(' ');
}

const amounts = (text: string, units: Readonly<Record<string, string>>): readonly (string | undefined)[] =>
  (text.match(/[^A-Z]*[A-Z]|[^A-Z]+$/g) ?? []).map((part) => {
    const unit = units[part.at(-1)!];
    return unit !== undefined && /^[-+]?\d+(?:\.\d+)?$/.test(part.slice(0, -1))
      ? `${part.slice(0, -1)} ${unit}`
      : undefined;
  });
