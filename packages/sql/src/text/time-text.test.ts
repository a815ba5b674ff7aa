import { REFUSED_END, REFUSED_RANGE } from '@tessera/kernel';
import { expect, test } from 'vitest';
import { kernelTime, mayBeForeignTime } from './time-text.ts';

test.each([
  ['2024-02-29', '2024-02-29'],
  ['Feb 29, 2024', '2024-02-29'],
  ['29-Feb-2024', '2024-02-29'],
  ['2/29/24', '2024-02-29'],
  ['2/28/70', '1970-02-28'],
  ['20240229', '2024-02-29'],
  ['March 15, 44 BC', '0044-03-15 (BC)'],
  ['2024-02-29 10:00 PST', '2024-02-29'],
  ['2024-02-29 x', `${REFUSED_END}2024-02-29 x`],
  ['2024-02', `${REFUSED_END}2024-02`],
  ['99-02-03', `${REFUSED_RANGE}99-02-03`],
  ['0000-01-01', `${REFUSED_RANGE}0000-01-01`],
  ['2024-01-01 16:00 pm', `${REFUSED_RANGE}2024-01-01 16:00 pm`],
])('the date %s is %s for the kernel', (text, expected) => {
  expect(kernelTime(text, 'DATE')).toBe(expected);
});

test.each([
  ['10:00 pm', 'TIME', '22:00:00'],
  ['12:00 am', 'TIME', '00:00:00'],
  ['23:59:60', 'TIME', '24:00:00'],
  ['10:00 America/New_York', 'TIME', `${REFUSED_END}10:00 America/New_York`],
  ['2024-12-31 23:59:60', 'TIMESTAMP', '2025-01-01 00:00:00'],
  ['2024-01-01 00:00:00.9999999', 'TIMESTAMP', '2024-01-01 00:00:01'],
  ['2024-01-01 10:00+02', 'TIMESTAMP', '2024-01-01 10:00:00'],
  ['2024-01-01 10:00 UTC+3', 'TIMESTAMP WITH TIME ZONE', '2024-01-01 10:00:00-03:00'],
  ['2024-01-01 10:00 Europe/Paris', 'TIMESTAMP WITH TIME ZONE', '2024-01-01 10:00:00 Europe/Paris'],
  ['2024-01-01 10:00 Europe/Pari', 'TIMESTAMP WITH TIME ZONE', `${REFUSED_END}2024-01-01 10:00 Europe/Pari`],
] as const)('%s as %s is %s for the kernel', (text, type, expected) => {
  expect(kernelTime(text, type)).toBe(expected);
});

test.each(['2024-02-29', '2024-02-29 10:00:00.5+02', '10:00', 'now', '1.5', '555-1234', 'a', 'march', ''])(
  'the kernel reads %j as PostgreSQL does, or it is no time',
  (text) => expect(mayBeForeignTime(text)).toBe(false),
);
