import { isIPv6 } from 'node:net';

/** A host name, IPv4 address or bracketed IPv6 address, a colon, a port. */
export function isHostPort(text: string): boolean {
  const [, port] = /^(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\]):(\d{1,5})$/i.exec(text) ?? [];
  return port !== undefined && Number(port) >= 1 && Number(port) <= 65_535;
}

/** A host name, an IPv4 address or an IPv6 address. */
export const isHost = (text: string): boolean =>
  /^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_.])?$/i.test(text) || isIPv6(text);

export function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:');
}

/**
 * The issuer of the discovery document must equal the part of its URL before `/.well-known/` (OpenID Connect Discovery
 * 1.0, section 4).
 */
export function isDiscoveryUrl(text: string): boolean {
  return isHttpUrl(text) && /\/\.well-known\/[^/]+$/.test(new URL(text).pathname);
}

const CLAIM = /\{\{\s*[^{}\s]+\s*\}\}/g;

/**
 * Literal text with at least one `{{ claim }}`, with text between any two of them, and without stray double
 * braces.
 */
export function isClaimTemplate(text: string): boolean {
  const literals = text.split(CLAIM);
  return literals.length > 1 && !literals.slice(1, -1).includes('') && !/\{\{|\}\}/.test(literals.join(' '));
}
