import { isObject, type JsonObject } from './fetch-document.ts';

/** The reason why the claims of a token yield no user name, for the log. */
export class UsernameError extends Error {}

export type UsernameTemplate = (claims: JsonObject) => string;

const CLAIM = /\{\{\s*([^{}\s]+)\s*\}\}/g;

/**
 * Reads `auth.oidc.providers[*].username_mapping`: text with `{{ claim }}` in it. A claim is looked up by its whole name,
 * then as a path (`{{ realm.user.id }}`). It must be a text that is not empty, or an integer.
 *
 * No two lists of claims give one name: text between two claims may not occur in the claim before it, so that
 * `{{ tenant }}|{{ sub }}` does not give `a|b|c` for both `a|b`, `c` and `a`, `b|c`. (An integer and the text of its digits
 * are one claim.)
 * The function throws UsernameError.
 */
export function usernameTemplate(text: string): UsernameTemplate {
  const parts = text.split(CLAIM);
  const literals = parts.filter((_, i) => i % 2 === 0);
  const names = parts.filter((_, i) => i % 2 === 1);
  return (claims) => {
    const values = names.map((name) => claimText(claims, name));
    for (const [i, value] of values.slice(0, -1).entries()) {
      const separator = literals[i + 1] ?? '';
      if ((value + separator).indexOf(separator) !== value.length) {
        throw new UsernameError(`claim ${names[i]} holds the text that follows it in username_mapping`);
      }
    }
    return checkName(literals.map((literal, i) => literal + (values[i] ?? '')).join(''));
  };
}

function claimText(claims: JsonObject, name: string): string {
  const value = lookUp(claims, name);
  if (value === undefined || value === null) throw new UsernameError(`the token has no claim ${name}`);
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  if (typeof value !== 'string') throw new UsernameError(`claim ${name} is neither text nor an integer`);
  if (value === '') throw new UsernameError(`claim ${name} is empty`);
  return value;
}

/** Names with dots are tried first: private claims are often URLs (`https://example.com/user`). */
function lookUp(claims: JsonObject, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const step of name.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, step)) return undefined;
    value = value[step];
  }
  return value;
}

/** Invisible characters, which could make one name look like another. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const MAX_LENGTH = 255;

function checkName(name: string): string {
  if (UNSEEN.test(name)) throw new UsernameError('the name has control or invisible characters');
  if (name !== name.trim()) throw new UsernameError('the name begins or ends with a space');
  if (name.length > MAX_LENGTH) throw new UsernameError(`the name is longer than ${MAX_LENGTH} characters`);
  return name;
}
