import { expect, it } from 'vitest';
import { shownToken } from './request-user.ts';

const shown = (...authorization: string[]) =>
  shownToken({ headersDistinct: authorization.length === 0 ? {} : { authorization } });

it.each([
  ['Bearer abc.def-_~+/==', 'abc.def-_~+/=='],
  ['bearer abc', 'abc'],
  ['BEARER   abc  ', 'abc'],
])('%s contains a token', (header, token) => {
  expect(shown(header)).toEqual({ kind: 'token', token });
});

it.each(['Bearer', 'Bearer ', 'Bearer a b', 'Bearer a=b', 'Bearer "abc"', 'Bearer abc,def', 'Bearer ä'])(
  '%s is not a valid token',
  (header) => {
    expect(shown(header)).toEqual({ kind: 'malformed' });
  },
);

it.each(['Basic YTpi', 'Negotiate abc', 'Bearerabc', ''])('%s contains no token', (header) => {
  expect(shown(header)).toEqual({ kind: 'none' });
});

it('a request without the header has no token', () => {
  expect(shown()).toEqual({ kind: 'none' });
});

it('two headers are refused, whichever of them is valid', () => {
  expect(() => shown('Bearer abc', 'Bearer def')).toThrow(/more than one/);
});
