import { expect, it } from 'vitest';
import type { ParameterInfo } from '../../packages/config/src/index.ts';
import { proofProblems } from './parameter-proofs.ts';

const ROOT = `${import.meta.dirname}/../..`;
const OWN_FILE = 'scripts/check/parameter-proofs.test.ts';

const row = (path: string, effect: ParameterInfo['effect']) =>
  ({ path, effect, type: 'string', meaning: '', expected: '', required: false }) as ParameterInfo;
const rows = [row('a.of_this_test', 'in effect'), row('a.later', 'arrives with more')];

it('every parameter in effect has a test that exists and mentions it', () => {
  expect(proofProblems(ROOT, { [OWN_FILE]: { 'is not a title': [] } }, [])).toEqual([
    `${OWN_FILE} has no test "is not a title"`,
  ]);
  expect(proofProblems(ROOT, {}, rows)).toEqual([expect.stringContaining('a.of_this_test has no test')]);
  expect(proofProblems(ROOT, { 'scripts/none.test.ts': {} }, [])).toEqual([
    'scripts/none.test.ts is named as the test of parameters and does not exist',
  ]);
});

it('a parameter that the test does not mention, or that does not exist, is refused', () => {
  const title = 'a parameter that the test does not mention, or that does not exist, is refused';
  const other = ['a', 'not', 'mentioned'].join('_');
  expect(proofProblems(ROOT, { [OWN_FILE]: { [title]: ['a.of_this_test'] } }, rows)).toEqual([]);
  expect(proofProblems(ROOT, { [OWN_FILE]: { [title]: [other] } }, [row(other, 'in effect')])).toEqual([
    `${OWN_FILE} does not mention ${other}`,
  ]);
  expect(proofProblems(ROOT, { [OWN_FILE]: { [title]: ['a.nothing'] } }, [])).toEqual([
    `a.nothing, of ${OWN_FILE}, is not a parameter that has an effect`,
  ]);
});
