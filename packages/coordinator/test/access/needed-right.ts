/**
 * A privilege as the statements that grant and revoke it; `missing` is the text of the refusal without it.
 */
export interface NeededRight {
  readonly name: string;
  readonly give: string;
  readonly take: string;
  /** Used if `take` does not revoke it completely. */
  readonly takeAll?: string;
  readonly missing: RegExp;
}

/**
 * A privilege given by GRANT; the grantee differs from the user if a view is read with the privileges of its
 * owner.
 */
export const right = (what: string, to = 'u'): NeededRight => ({
  name: `${what}${to === 'u' ? '' : ` to ${to}`}`,
  give: `GRANT ${what} TO ${to}`,
  take: `REVOKE ${what} FROM ${to}`,
  missing: what.startsWith('ROLE ')
    ? /is not a member of/
    : new RegExp(`"${to}".* has no ${what.replace(/ ON .*/, '')} on`),
});

export const grantOption = (what: string): NeededRight => ({
  name: `grant option for ${what}`,
  give: `GRANT ${what} TO u WITH GRANT OPTION`,
  take: `REVOKE GRANT OPTION FOR ${what} FROM u CASCADE`,
  takeAll: `REVOKE ${what} FROM u CASCADE`,
  missing: /has no grant option for/,
});

export const adminOption = (role: string): NeededRight => ({
  name: `ADMIN OPTION on ${role}`,
  give: `GRANT ROLE ${role} TO u WITH ADMIN OPTION`,
  take: `REVOKE ROLE ${role} FROM u CASCADE`,
  missing: /has no ADMIN OPTION on/,
});

export const owner = (what: string): NeededRight => ({
  name: `owner of ${what}`,
  give: `ALTER ${what} OWNER TO u`,
  take: `ALTER ${what} OWNER TO tessera`,
  missing: /does not own/,
});

export const administrator: NeededRight = {
  name: 'system_admin',
  give: 'GRANT ROLE system_admin TO u',
  take: 'REVOKE ROLE system_admin FROM u',
  missing: /is not a member of system_admin/,
};
