import { fail } from '@tessera/common';

/**
 * The zone of an interval east of Greenwich, as `SET TIME ZONE INTERVAL '+02:00'` has it, in the form of `zoneOfText`, which
 * counts the hours to the west: `+02:00` → `<+02:00>-02:00`.
 * @throws TesseraError INVALID_SETTING for an interval other than hours and minutes
 */
export function posixOfInterval(interval: string): string {
  const clock = /^\s*([+-]?)(\d{1,2})(?::?([0-5]\d))?(?::00)?\s*$/.exec(interval);
  const words = /^\s*([+-]?)(\d{1,2})\s*h(?:(?:ou)?rs?)?(?:\s*([0-5]?\d)\s*m(?:in(?:ute)?s?)?)?\s*$/i.exec(
    interval,
  );
  const [, sign, hours = '', minutes = '0'] = clock ?? words ?? [];
  return hours === '' ? refuse(interval) : posix(sign === '-', Number(hours) * 60 + Number(minutes));
}

/**
 * The zone that a value of the parameter `timezone` names as an offset; other values are returned as they are. As in
 * PostgreSQL, a bare number counts hours east of Greenwich, and `+02:00`, `UTC+2` or `<-02>+2` follow POSIX, which counts
 * to the west.
 * @throws TesseraError INVALID_SETTING for an offset that no zone of the kernel has
 */
export function zoneOfText(zone: string): string {
  const east = minutesEast(zone);
  if (east === undefined) return zone;
  const fractional = FRACTIONAL.get(east);
  if (fractional !== undefined) return fractional.name;
  const hours = Math.abs(east) / 60;
  // The kernel's zones with a fixed offset (`Etc/GMT…`) have full hours, up to 14 to the east and 12 to the west.
  if (!Number.isInteger(hours) || hours > (east > 0 ? 14 : 12)) return refuse(zone);
  return hours === 0 ? 'UTC' : `Etc/GMT${east > 0 ? '-' : '+'}${hours}`;
}

/** The zone of a place that `zoneOfText` returns for an offset; undefined for other values. */
export function fractionalZone(zone: string): FractionalZone | undefined {
  const east = minutesEast(zone);
  return east === undefined ? undefined : FRACTIONAL.get(east);
}

export interface FractionalZone {
  readonly name: string;
  /** The date from which on the offset of the zone has not changed. */
  readonly since: string;
}

/**
 * The places, by minutes east of Greenwich. The kernel has zones with minutes only for places, so each offset stands for a
 * place that has had it for years. Places with another such offset (+03:30, -03:30, +10:30) change it with the seasons or did so recently.
 */
export const FRACTIONAL: ReadonlyMap<number, FractionalZone> = new Map([
  [-570, { name: 'Pacific/Marquesas', since: '1912-10-02' }],
  [270, { name: 'Asia/Kabul', since: '1945-01-01' }],
  [330, { name: 'Asia/Kolkata', since: '1945-10-15' }],
  [345, { name: 'Asia/Kathmandu', since: '1986-01-01' }],
  [390, { name: 'Asia/Yangon', since: '1945-05-03' }],
  [525, { name: 'Australia/Eucla', since: '2009-03-29' }],
  [570, { name: 'Australia/Darwin', since: '1944-03-26' }],
]);

/** The offset that the text names, in minutes; undefined for a text of another kind. */
function minutesEast(zone: string): number | undefined {
  if (/^\s*[+-]?\d*\.?\d+\s*$/.test(zone)) return Math.round(Number(zone) * 60);
  const [, sign, hours = '', minutes = '0'] =
    /^\s*(?:GMT|UTC|<[+-]?[\w:]+>)?([+-]?)(\d{1,2})(?::?([0-5]\d))?(?::00)?\s*$/i.exec(zone) ?? [];
  if (hours === '') return undefined;
  const west = Number(hours) * 60 + Number(minutes);
  return sign === '-' ? west : -west;
}

function posix(isWest: boolean, minutes: number): string {
  const digits = [Math.trunc(minutes / 60), minutes % 60].map((n) => String(n).padStart(2, '0')).join(':');
  return isWest ? `<-${digits}>+${digits}` : `<+${digits}>-${digits}`;
}

const refuse = (value: string): never =>
  fail('INVALID_SETTING', {
    name: 'timezone',
    value,
    expected: 'an offset in whole hours, or the name of a time zone such as America/St_Johns',
  });
