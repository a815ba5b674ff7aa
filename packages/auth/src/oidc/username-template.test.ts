import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UsernameError, usernameTemplate } from './username-template.ts';

const name = (template: string, claims: Record<string, unknown>) => usernameTemplate(template)(claims);
const refused = (message: string) => expect.objectContaining({ constructor: UsernameError, message });
const outcome = (template: string, claims: Record<string, unknown>) => {
  try {
    return name(template, claims);
  } catch (error) {
    return error;
  }
};

describe('a username', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['{{ sub }}', { sub: 'alice' }, 'alice'],
    ['{{sub}}', { sub: 'Alice Ä 名' }, 'Alice Ä 名'],
    ['{{ iss }}|{{ sub }}', { iss: 'https://issuer/', sub: 'a|b' }, 'https://issuer/|a|b'],
    ['sso/{{ tenant }}:{{ id }}@x', { tenant: 'a b', id: 7 }, 'sso/a b:7@x'],
    ['{{ https://example.com/user }}', { 'https://example.com/user': 'bob' }, 'bob'],
    ['{{ realm.user.id }}', { realm: { user: { id: 'u1' } } }, 'u1'],
    ['{{ a.b }}', { 'a.b': 'whole', a: { b: 'path' } }, 'whole'],
    ['{{ sub }}', { sub: '{{ iss }}', iss: 'i' }, '{{ iss }}'],
    ['$& {{ sub }}', { sub: '$1' }, '$& $1'],
  ])('%s of %j is %s', (template, claims, expected) => {
    expect(name(template, claims)).toBe(expected);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['{{ sub }}', {}, 'the token has no claim sub'],
    ['{{ sub }}', { sub: null }, 'the token has no claim sub'],
    ['{{ sub }}', { sub: '' }, 'claim sub is empty'],
    ['{{ sub }}', { sub: ['a'] }, 'claim sub is neither text nor an integer'],
    ['{{ sub }}', { sub: { a: 1 } }, 'claim sub is neither text nor an integer'],
    ['{{ sub }}', { sub: true }, 'claim sub is neither text nor an integer'],
    ['{{ sub }}', { sub: 1.5 }, 'claim sub is neither text nor an integer'],
    ['{{ sub }}', { sub: 2 ** 53 }, 'claim sub is neither text nor an integer'],
    ['{{ constructor }}', {}, 'the token has no claim constructor'],
    ['{{ a.constructor.name }}', { a: {} }, 'the token has no claim a.constructor.name'],
    ['{{ a.0 }}', { a: ['x'] }, 'the token has no claim a.0'],
    ['{{ sub }}', { sub: 'a\u0000b' }, 'the name has control or invisible characters'],
    ['{{ sub }}', { sub: 'a\nb' }, 'the name has control or invisible characters'],
    ['{{ sub }}', { sub: 'a\u200bb' }, 'the name has control or invisible characters'],
    ['{{ sub }}', { sub: 'a\u202eb' }, 'the name has control or invisible characters'],
    ['{{ sub }}', { sub: 'a\ud800b' }, 'the name has control or invisible characters'],
    ['{{ sub }}', { sub: ' alice' }, 'the name begins or ends with a space'],
    ['{{ sub }}', { sub: 'alice\u00a0' }, 'the name begins or ends with a space'],
    ['{{ sub }}', { sub: 'a'.repeat(256) }, 'the name is longer than 255 characters'],
    ['{{ a }}|{{ b }}', { a: 'x|y', b: 'z' }, 'claim a holds the text that follows it in username_mapping'],
    ['{{ a }}||{{ b }}', { a: 'x|', b: 'z' }, 'claim a holds the text that follows it in username_mapping'],
  ])('%s of %j is refused', (template, claims, message) => {
    expect(outcome(template, claims)).toEqual(refused(message));
  });

  it('is never the same for different claims', () => {
    const part = fc.string({ unit: fc.constantFrom('a', '|', ':', '-'), minLength: 1, maxLength: 4 });
    const separator = fc.constantFrom('|', '||', '|:|', 'a', '-a-');
    const claims = fc.record({ a: part, b: part, c: part });
    fc.assert(
      fc.property(separator, separator, claims, claims, (one, two, left, right) => {
        const template = `x{{ a }}${one}{{ b }}${two}{{ c }}|`;
        const [l, r] = [outcome(template, left), outcome(template, right)];
        if (typeof l === 'string' && l === r) expect(left).toEqual(right);
      }),
      { numRuns: 20_000 },
    );
  });
});
