const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A ULID of the given time; `serial` makes it unique. */
export function virtualUlid(timeMs: number, serial: number): string {
  return inBase32(Math.max(0, Math.floor(timeMs)), 10) + inBase32(serial, 16);
}

function inBase32(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / 32)) {
    text = DIGITS[rest % 32]! + text;
  }
  return text;
}
