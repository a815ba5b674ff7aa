/** A host name, IPv4 address or bracketed IPv6 address, a colon, a port. */
export function isHostPort(text: string): boolean {
  const [, port] = /^(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\]):(\d{1,5})$/i.exec(text) ?? [];
  return port !== undefined && Number(port) >= 1 && Number(port) <= 65_535;
}

export function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:');
}

const CLAIM = /\{\{\s*[^{}\s]+\s*\}\}/g;

/** Literal text with at least one `{{ claim }}` in it and no stray double brace. */
export function isClaimTemplate(text: string): boolean {
  return CLAIM[Symbol.match](text) !== null && !/\{\{|\}\}/.test(text.replace(CLAIM, ''));
}
