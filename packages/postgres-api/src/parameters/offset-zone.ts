import { fail } from '@tessera/common';

/**
 * The zone of an interval east of Greenwich, as `SET TIME ZONE INTERVAL '+02:00'` has it: `+02:00` → `Etc/GMT-2`, because
 * names of zones count the hours to the west.
 * @throws TesseraError INVALID_SETTING for an interval that is not in whole hours
 */
export function zoneOfInterval(interval: string): string {
  const clock = /^\s*([+-]?)(\d{1,2})(?::?([0-5]\d))?(?::00)?\s*$/.exec(interval);
  const words = /^\s*([+-]?)(\d{1,2})\s*h(?:(?:ou)?rs?)?\s*$/i.exec(interval);
  const [, sign, hours = '', minutes] = clock ?? words ?? [];
  return hours === '' ? refuse(interval) : zoneAt(interval, sign === '-' ? '-' : '+', hours, minutes);
}

/**
 * The zone that a value of the parameter `timezone` names as an offset; other values are returned as they are. As in
 * PostgreSQL, a bare number counts hours east of Greenwich, and `+02:00`, `UTC+2` or `<-02>+2` follow POSIX, which counts
 * to the west.
 * @throws TesseraError INVALID_SETTING for an offset that is not in whole hours
 */
export function zoneOfText(zone: string): string {
  if (/^\s*[+-]?\d*\.?\d+\s*$/.test(zone)) {
    const hours = Number(zone);
    return Number.isInteger(hours)
      ? zoneAt(zone, hours < 0 ? '-' : '+', String(Math.abs(hours)))
      : refuse(zone);
  }
  const [, sign, hours = '', minutes] =
    /^\s*(?:GMT|UTC|<[+-]?\w+>)?([+-]?)(\d{1,2})(?::?([0-5]\d))?(?::00)?\s*$/i.exec(zone) ?? [];
  return hours === '' ? zone : zoneAt(zone, sign === '-' ? '+' : '-', hours, minutes);
}

/** `+` is east. The kernel's zones without a place have whole hours, 14 to the east and 12 to the west. */
function zoneAt(value: string, side: '+' | '-', digits: string, minutes = '00'): string {
  const hours = Number(digits);
  if (minutes !== '00' || hours > (side === '+' ? 14 : 12)) return refuse(value);
  return hours === 0 ? 'UTC' : `Etc/GMT${side === '+' ? '-' : '+'}${hours}`;
}

const refuse = (value: string): never =>
  fail('INVALID_SETTING', {
    name: 'timezone',
    value,
    expected: 'an offset in whole hours, or the name of a time zone such as Asia/Kolkata',
  });
