import { describe, expect, it } from 'vitest';
import { TPCH_QUERIES } from './queries.ts';
import { tpchStream } from './query-streams.ts';

const SCALE = 0.1;
const STREAMS = Array.from({ length: 1000 }, (_, stream) => tpchStream(stream, SCALE, 4711));
const texts = (name: string): string[] =>
  STREAMS.map((queries) => queries.find((query) => query.name === name)!.sql);
const found = (name: string, pattern: RegExp): string[] =>
  texts(name).flatMap((sql) => [...sql.matchAll(pattern)].map((match) => match[1]!));
const span = (name: string, pattern: RegExp): string[] => {
  const values = found(name, pattern).sort((a, b) => (a < b ? -1 : 1));
  return [values[0]!, values.at(-1)!];
};

describe('streams of queries', () => {
  it('contain every query once, each stream in a different order', () => {
    for (const queries of STREAMS)
      expect(queries.map(({ name }) => name).sort()).toEqual(TPCH_QUERIES.map(({ name }) => name));
    const orders = STREAMS.slice(0, 41).map((queries) => queries.map(({ name }) => name).join());
    expect(new Set(orders).size).toBe(41);
    expect(orders[0]!.startsWith('q14,q02,q09,q20')).toBe(true);
  });

  it('are determined by the seed', () => {
    expect(tpchStream(3, SCALE, 4711)).toEqual(STREAMS[3]);
    expect(tpchStream(3, SCALE, 4712)).not.toEqual(STREAMS[3]);
  });

  it('have parameters within the bounds of the specification, and come near to them', () => {
    const date = /'(\d{4}-\d\d-\d\d)'/g;
    const [first, last] = span('q01', date);
    expect(first! >= '1998-08-03' && first! < '1998-08-08').toBe(true);
    expect(last! <= '1998-10-02' && last! > '1998-09-28').toBe(true);
    expect(span('q03', date)).toEqual(['1995-03-01', '1995-03-31']);
    expect(span('q04', />= CAST\('([\d-]+)/g)).toEqual(['1993-01-01', '1997-10-01']);
    expect(span('q10', />= CAST\('([\d-]+)/g)).toEqual(['1993-02-01', '1995-01-01']);
    expect(span('q14', />= date '([\d-]+)/g)).toEqual(['1993-01-01', '1997-12-01']);
    expect(span('q06', /BETWEEN (\S+)/g)).toEqual(['0.01', '0.08']);
    expect(span('q06', /AND (0\.\d+)/g)).toEqual(['0.03', '0.10']);
    expect(new Set(found('q06', /quantity < (\d+)/g))).toEqual(new Set(['24', '25']));
    expect(span('q18', /> (\d+)\)/g)).toEqual(['312', '315']);
    expect(new Set(found('q11', /\* (\d\.\d+)/g))).toEqual(new Set(['0.0010000000']));
    expect(new Set(found('q02', /'%([A-Z]+)'/g)).size).toBe(5);
    expect(new Set(found('q17', /'(Brand#\d\d)'/g)).size).toBe(25);
  });

  it('choose no value twice where several distinct ones are needed', () => {
    for (const [name, pattern] of [
      ['q16', /IN \(([\d, ]+)\)/],
      ['q22', /IN \(([\d', ]+)\)/],
    ] as const)
      for (const sql of texts(name)) {
        const values = pattern.exec(sql)![1]!.split(', ');
        expect(new Set(values).size).toBe(name === 'q16' ? 8 : 7);
      }
    for (const sql of texts('q07')) expect(new Set(sql.match(/'[A-Z ]+'/g)).size).toBe(2);
  });
});
