/**
 * The shape of a text tells of which types it is a value: `i = '12'` and `i = '345'`, whose texts have one shape, are valid for the
 * same columns. The shape `other` tells nothing.
 */
export type TextShape =
  | 'four digits'
  | 'nine digits'
  | 'eighteen digits'
  | 'number'
  | 'boolean'
  | 'date'
  | 'timestamp'
  | 'other';

const INTEGER = /^\s*[-+]?(\d{1,18})\s*$/;
const NUMBER = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*$/i;
const BOOLEAN = /^\s*(?:t|true|f|false)\s*$/i;
const MOMENT = /^(\d{4})-(\d\d)-(\d\d)( ([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?)?$/;

export function textShape(text: string): TextShape {
  const digits = INTEGER.exec(text)?.[1];
  if (digits !== undefined)
    return digits.length <= 4 ? 'four digits' : digits.length <= 9 ? 'nine digits' : 'eighteen digits';
  if (NUMBER.test(text)) return Number.isFinite(Number(text)) ? 'number' : 'other';
  if (BOOLEAN.test(text)) return 'boolean';
  const [, year, month, day, time] = MOMENT.exec(text) ?? [];
  if (year === undefined || year === '0000') return 'other';
  const date = `${year}-${month}-${day}`;
  const isDay = new Date(`${date}T00:00:00Z`).toJSON()?.startsWith(date) === true;
  return !isDay ? 'other' : time === undefined ? 'date' : 'timestamp';
}
