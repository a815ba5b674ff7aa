import type { ObjectId } from '@tessera/catalog';

/** That somebody granted a right to somebody. Rights are privileges on one object, or memberships. */
export interface GrantedRight<R extends string> {
  readonly right: R;
  readonly grantee: ObjectId;
  readonly grantable: boolean;
  /** Name of a user or role. */
  readonly grantor: string;
}

/** With one more; it is there once for each grantor, and an option to grant it stays. */
export function withRight<R extends string>(
  rights: readonly GrantedRight<R>[],
  added: GrantedRight<R>,
): readonly GrantedRight<R>[] {
  const at = rights.findIndex((right) => keyOf(right) === keyOf(added));
  if (at < 0) return [...rights, added];
  if (rights[at]!.grantable || !added.grantable) return rights;
  return rights.with(at, added);
}

/** What there is one of. */
const keyOf = <R extends string>({ right, grantee, grantor }: GrantedRight<R>): string =>
  `${right} ${grantee} ${grantor}`;

export interface Revoked<R extends string> {
  readonly rights: ReadonlySet<R>;
  readonly grantees: ReadonlySet<ObjectId>;
  /** The right stays, without the option to grant it. */
  readonly optionOnly: boolean;
  /** Whether what this one granted is meant. */
  isGrantor(name: string): boolean;
}

export interface GrantorFacts {
  /** The name of a user or role that is there. */
  nameOf(id: ObjectId): string | undefined;
  /** Whether what this one granted rests on nothing that could be revoked. */
  needsNoOption(grantor: string): boolean;
}

/**
 * What stays, and the dependents: what was granted by those who have lost the option to. Options that two gave one another hold
 * nothing up once the one is gone that they had it from.
 */
export function withoutRights<R extends string>(
  rights: readonly GrantedRight<R>[],
  revoked: Revoked<R>,
  facts: GrantorFacts,
): {
  readonly rights: readonly GrantedRight<R>[];
  readonly dependents: readonly GrantedRight<R>[];
} {
  const left = rights.flatMap((right) => {
    const { right: of, grantee, grantor } = right;
    const isMeant = revoked.rights.has(of) && revoked.grantees.has(grantee) && revoked.isGrantor(grantor);
    if (!isMeant) return [right];
    return revoked.optionOnly ? [{ ...right, grantable: false }] : [];
  });
  const before = heldUp(rights, facts);
  const after = heldUp(left, facts);
  const falls = (right: GrantedRight<R>) => before.has(keyOf(right)) && !after.has(keyOf(right));
  return {
    rights: left.filter((right) => !falls(right)),
    dependents: left.filter(falls),
  };
}

/** The rights whose grantors may grant them: without an option, or by one that is held up itself. */
function heldUp<R extends string>(
  rights: readonly GrantedRight<R>[],
  { nameOf, needsNoOption }: GrantorFacts,
): ReadonlySet<string> {
  const optionOf = (right: R, holder: string | undefined) => `${right} ${holder}`;
  const options = new Set<string>();
  const held = new Set<string>();
  for (let grew = true; grew; ) {
    grew = false;
    for (const right of rights) {
      const { right: of, grantor, grantee, grantable } = right;
      if (held.has(keyOf(right)) || !(needsNoOption(grantor) || options.has(optionOf(of, grantor)))) continue;
      held.add(keyOf(right));
      if (grantable) options.add(optionOf(of, nameOf(grantee)));
      grew = true;
    }
  }
  return held;
}
