import type { ObjectId } from '@tessera/catalog';

/** A grant of a right from one principal to another. Rights are privileges on one object, or memberships. */
export interface GrantedRight<R extends string> {
  readonly right: R;
  readonly grantee: ObjectId;
  readonly grantable: boolean;
  /** The name of a user or role. */
  readonly grantor: string;
}

/** Adds a grant. There is one per grantor, and an existing grant option is kept. */
export function withRight<R extends string>(
  rights: readonly GrantedRight<R>[],
  added: GrantedRight<R>,
): readonly GrantedRight<R>[] {
  const at = rights.findIndex((right) => keyOf(right) === keyOf(added));
  if (at < 0) return [...rights, added];
  if (rights[at]!.grantable || !added.grantable) return rights;
  return rights.with(at, added);
}

/** The identity of a grant. */
const keyOf = <R extends string>({ right, grantee, grantor }: GrantedRight<R>): string =>
  `${right} ${grantee} ${grantor}`;

export interface Revoked<R extends string> {
  readonly rights: ReadonlySet<R>;
  readonly grantees: ReadonlySet<ObjectId>;
  /** Whether the right is kept and only the grant option is revoked. */
  readonly optionOnly: boolean;
  /** Whether grants of this principal are revoked. */
  isGrantor(name: string): boolean;
}

export interface GrantorFacts {
  /** The name of an existing user or role. */
  nameOf(id: ObjectId): string | undefined;
  /** Whether grants of this principal do not depend on a revocable grant option. */
  needsNoOption(grantor: string): boolean;
}

/**
 * The remaining grants, and the dependent ones that must be revoked too: grants by principals who lost the
 * grant option. Two principals who granted each other the option do not keep it once the grant that they
 * derived it from is revoked.
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

/**
 * The rights whose grantors may grant them: grantors who need no option, or who have it by a valid grant
 * themselves.
 */
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
