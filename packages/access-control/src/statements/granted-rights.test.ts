import type { ObjectId } from '@tessera/catalog';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type GrantedRight, type Revoked, withoutRights, withRight } from './granted-rights.ts';

type Right = GrantedRight<'read' | 'write'>;

const OWNER = 'owner';
const id = (name: string) => `id of ${name}` as ObjectId;
const facts = {
  nameOf: (grantee: ObjectId) => grantee.replace('id of ', ''),
  needsNoOption: (name: string) => name === OWNER,
};

/** Parses `a+ from b`: a has the privilege from b, with grant option. */
const granted = (...texts: readonly string[]): readonly Right[] =>
  texts.map((text) => {
    const [, name = '', option, grantor = ''] = /^(\w+)(\+?) from (\w+)$/.exec(text) ?? [];
    return { right: 'read', grantee: id(name), grantable: option === '+', grantor };
  });
const render = (rights: readonly Right[]) =>
  rights.map(
    ({ grantee, grantable, grantor }) => `${facts.nameOf(grantee)}${grantable ? '+' : ''} from ${grantor}`,
  );

const from = (name: string, changes: Partial<Revoked<'read' | 'write'>> = {}): Revoked<'read' | 'write'> => ({
  rights: new Set(['read']),
  grantees: new Set([id(name)]),
  optionOnly: false,
  isGrantor: () => true,
  ...changes,
});

it('a right exists once for each grantor, and keeps its grant option', () => {
  const [plain, withOption] = granted('a from owner', 'a+ from owner');
  const rights = withRight(withRight([], plain!), withOption!);
  expect(render(rights)).toEqual(['a+ from owner']);
  expect(withRight(rights, plain!)).toBe(rights);
  expect(withRight(rights, { ...plain!, grantor: 'b' })).toHaveLength(2);
});

it('revoking a grant option revokes all grants that depend on it', () => {
  const rights = granted('a+ from owner', 'b+ from a', 'c from b', 'd from owner');
  const { rights: left, dependents } = withoutRights(rights, from('a'), facts);
  expect(render(left)).toEqual(['d from owner']);
  expect(render(dependents)).toEqual(['b+ from a', 'c from b']);
});

it('a privilege that somebody else granted as well stays', () => {
  const rights = granted('a+ from owner', 'b+ from a', 'b+ from owner', 'c from b');
  expect(render(withoutRights(rights, from('a'), facts).rights)).toEqual(['b+ from owner', 'c from b']);
});

it('grant options that two users gave each other do not keep each other alive', () => {
  const rights = granted('a+ from owner', 'b+ from a', 'c+ from b', 'b+ from c', 'd from c');
  expect(render(withoutRights(rights, from('a'), facts).rights)).toEqual([]);
});

it('REVOKE removes only the grant option, or only the grants of the user who revokes', () => {
  const rights = granted('a+ from owner', 'b from a', 'b from owner');
  const option = withoutRights(rights, from('a', { optionOnly: true }), facts);
  expect(render(option.rights)).toEqual(['a from owner', 'b from owner']);
  const own = withoutRights(rights, from('b', { isGrantor: (name) => name === 'a' }), facts);
  expect(render(own.rights)).toEqual(['a+ from owner', 'b from owner']);
});

it('a grant that did not depend on the revoked option remains', () => {
  const rights = granted('b from former_owner', 'a from owner');
  expect(render(withoutRights(rights, from('a'), facts).rights)).toEqual(['b from former_owner']);
});

const NAMES = ['a', 'b', 'c', 'd'] as const;
const step = fc.record({
  by: fc.constantFrom(OWNER, ...NAMES),
  to: fc.constantFrom(...NAMES),
  right: fc.constantFrom('read' as const, 'write' as const),
  option: fc.boolean(),
  revokes: fc.boolean(),
});

it('after any grants and revokes, every right comes from a grantor who may grant it', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      let rights: readonly Right[] = [];
      for (const { by, to, right, option, revokes } of steps) {
        if (revokes) {
          const isGrantor = (name: string) => by === OWNER || name === by;
          rights = withoutRights(
            rights,
            from(to, { rights: new Set([right]), optionOnly: option, isGrantor }),
            facts,
          ).rights;
        } else if (mayGrant(rights, by, right)) {
          rights = withRight(rights, { right, grantee: id(to), grantable: option, grantor: by });
        }
        // Every grant must be derived from the owner through grants by principals who were allowed to make
        // them.
        for (const held of rights) expect(comesFromOwner(rights, held, new Set())).toBe(true);
      }
    }),
  );
});

const mayGrant = (rights: readonly Right[], name: string, right: Right['right']) =>
  name === OWNER ||
  rights.some((held) => held.right === right && held.grantee === id(name) && held.grantable);

function comesFromOwner(
  rights: readonly Right[],
  { right, grantor }: Right,
  seen: ReadonlySet<string>,
): boolean {
  if (grantor === OWNER) return true;
  if (seen.has(grantor)) return false;
  const options = rights.filter(
    (held) => held.right === right && held.grantee === id(grantor) && held.grantable,
  );
  return options.some((held) => comesFromOwner(rights, held, new Set([...seen, grantor])));
}
