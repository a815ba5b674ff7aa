import { expect, it } from 'vitest';
import { requestParameters } from './request-parameters.ts';

it.each(['/', '/?output_format=JSON&max_threads=1&database=d', '/?timezone=UTC'])(
  'the parameters of %s are parsed once, because clients repeat them',
  (url) => {
    expect(requestParameters(url)).toBe(requestParameters(url));
    expect(Object.isFrozen(requestParameters(url).settings)).toBe(true);
  },
);

it.each([
  '/?query_id=a',
  '/?query_parameters=[{"name":"$1","value":"secret"}]',
  '/?transaction_id=01ARZ3NDEKTSV4RRFFQ69G5FAV',
  '/?quer%79_id=a',
])('those of %s are of one request', (url) => {
  expect(requestParameters(url)).not.toBe(requestParameters(url));
  expect(requestParameters(url)).toEqual(requestParameters(url));
});

it('an error is found each time', () => {
  for (const _ of [1, 2]) expect(() => requestParameters('/?max_thread=1')).toThrow('max_thread');
});
