import type { SystemRelation } from '../facts/system-relation.ts';
import { catalogRelation, type Row } from './row.ts';

/** `pg_timezone_names`: the zones that the runtime knows, with their present offsets. */
export const timeZones = (): SystemRelation => catalogRelation('pg_timezone_names', rows(new Date()));

function* rows(now: Date): Generator<Row> {
  const year = now.getUTCFullYear();
  for (const name of ['UTC', ...Intl.supportedValuesOf('timeZone')]) {
    const offset = offsetMinutes(name, now);
    const winter = Math.min(
      offsetMinutes(name, new Date(Date.UTC(year, 0, 1))),
      offsetMinutes(name, new Date(Date.UTC(year, 6, 1))),
    );
    yield { name, abbrev: nameOf(name, now, 'short'), utc_offset: clock(offset), is_dst: offset > winter };
  }
}

/** The name of the offset, such as `GMT+05:30` or `GMT`. */
function nameOf(timeZone: string, at: Date, timeZoneName: 'short' | 'longOffset'): string {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName }).formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
}

function offsetMinutes(timeZone: string, at: Date): number {
  const [, sign, hours = '0', minutes = '0'] =
    /([+-])(\d+):(\d+)/.exec(nameOf(timeZone, at, 'longOffset')) ?? [];
  return (sign === '-' ? -1 : 1) * (60 * Number(hours) + Number(minutes));
}

const clock = (minutes: number): string => {
  const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? '-' : ''}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}:00`;
};
