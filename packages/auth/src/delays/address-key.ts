import { isIPv4, isIPv6 } from 'node:net';

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * The part of an address that one party has to itself: an IPv4 address, or the /64 of an IPv6 address, within which a machine
 * takes a new one whenever it likes.
 */
export function addressKey(address: string): string {
  const plain = MAPPED.exec(address)?.[1] ?? address;
  if (isIPv4(plain) || !isIPv6(plain)) return plain;
  const [withoutZone = ''] = plain.split('%');
  return `${firstGroups(withoutZone).join(':')}::/64`;
}

/** The first four groups, without leading zeros. */
function firstGroups(address: string): string[] {
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  if (tail === undefined) return before.slice(0, 4).map(plainGroup);
  const after =
    tail === '' ? [] : tail.split(':').flatMap((group) => (group.includes('.') ? [group, group] : [group]));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].slice(0, 4).map(plainGroup);
}

const plainGroup = (group: string): string => Number.parseInt(group, 16).toString(16);
