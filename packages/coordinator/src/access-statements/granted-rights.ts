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
  const at = rights.findIndex((right) => isSame(right, added));
  if (at < 0) return [...rights, added];
  if (rights[at]!.grantable || !added.grantable) return rights;
  return rights.with(at, added);
}

const isSame = <R extends string>(a: GrantedRight<R>, b: GrantedRight<R>): boolean =>
  a.right === b.right && a.grantee === b.grantee && a.grantor === b.grantor;

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
  /** Whether it may grant whatever was granted to it: as owner, or because it may do everything. */
  needsNoOption(name: string): boolean;
}

/** What stays, and what was granted by those who have lost the option to. */
export function withoutRights<R extends string>(
  rights: readonly GrantedRight<R>[],
  revoked: Revoked<R>,
  facts: GrantorFacts,
): {
  readonly rights: readonly GrantedRight<R>[];
  readonly dependents: readonly GrantedRight<R>[];
} {
  const isMeant = ({ right, grantee, grantor }: GrantedRight<R>) =>
    revoked.rights.has(right) && revoked.grantees.has(grantee) && revoked.isGrantor(grantor);
  const meant = rights.filter(isMeant);
  let kept = rights.flatMap((right) => {
    if (!isMeant(right)) return [right];
    return revoked.optionOnly ? [{ ...right, grantable: false }] : [];
  });
  const dependents: GrantedRight<R>[] = [];
  let losers = meant.filter(({ grantable }) => grantable);
  while (losers.length > 0) {
    const unsupported = new Set(
      losers
        .filter(({ right, grantee }) => !mayGrant(kept, right, grantee, facts))
        .map(({ right, grantee }) => `${right} ${facts.nameOf(grantee)}`),
    );
    const fallen = kept.filter(({ right, grantor }) => unsupported.has(`${right} ${grantor}`));
    kept = kept.filter((right) => !fallen.includes(right));
    dependents.push(...fallen);
    losers = fallen.filter(({ grantable }) => grantable);
  }
  return { rights: kept, dependents };
}

function mayGrant<R extends string>(
  rights: readonly GrantedRight<R>[],
  right: R,
  grantee: ObjectId,
  { nameOf, needsNoOption }: GrantorFacts,
): boolean {
  const name = nameOf(grantee);
  if (name === undefined || needsNoOption(name)) return true;
  return rights.some((held) => held.right === right && held.grantee === grantee && held.grantable);
}
