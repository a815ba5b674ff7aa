import { POSTGRES_SETTINGS, RESERVED_WORDS } from '@tessera/sql';
import { columnsOf, type SystemRelation } from '../facts/system-relation.ts';
import { type PostgresFacts, roleOid } from './postgres-facts.ts';
import { catalogRelation, type Row } from './row.ts';

/** `pg_stat_activity`: the running queries of this node. Idle connections are not shown. */
export const activity = (facts: PostgresFacts): SystemRelation => {
  const { snapshot, database, oids } = facts;
  const owner = snapshot.database(database);
  return catalogRelation(
    'pg_stat_activity',
    facts.running.map((query, index) => ({
      datid: owner === undefined ? 0 : oids.of(owner.id),
      datname: database,
      pid: index + 1,
      usesysid: roleOid(facts, query.user),
      usename: query.user,
      application_name: query.label,
      backend_start: query.submittedAt,
      xact_start: query.startedAt,
      query_start: query.startedAt,
      state_change: query.startedAt,
      state: 'active',
      query: query.text,
      backend_type: 'client backend',
    })),
  );
};

/** `pg_prepared_statements` of the connection. */
export const preparedStatements = ({ preparedStatements: prepared }: PostgresFacts): SystemRelation =>
  catalogRelation(
    'pg_prepared_statements',
    prepared.map(({ name, statement, preparedAt, parameterTypes, fromSql, executions }) => ({
      name,
      statement,
      prepare_time: preparedAt,
      parameter_types: parameterTypes,
      from_sql: fromSql,
      generic_plans: 0,
      custom_plans: executions,
    })),
  );

/** `pg_settings`. */
export const settings = (): SystemRelation =>
  catalogRelation(
    'pg_settings',
    Object.entries(POSTGRES_SETTINGS).map(([name, setting]) => ({
      name,
      setting,
      category: 'Client Connection Defaults',
      short_desc: '',
      context: 'user',
      vartype: 'string',
      source: 'default',
      boot_val: setting,
      reset_val: setting,
      pending_restart: false,
    })),
  );

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

/** The result of `pg_get_keywords()`: the reserved words. */
export const keywords = (): SystemRelation => ({
  columns: columnsOf('word', 'catcode', ['barelabel', 'BOOLEAN'], 'catdesc', 'baredesc'),
  rows: RESERVED_WORDS.map((word) => [word.toLowerCase(), 'R', true, 'reserved', 'can be bare label']),
});
