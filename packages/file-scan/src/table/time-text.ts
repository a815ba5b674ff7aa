const DAY_MICROS = 86_400_000_000n;
/** The range of four-digit years: 0001-01-01 to 9999-12-31. */
const [MIN_DAY, MAX_DAY] = [-719_162, 2_932_896];

/** A date as the kernel's VARCHAR; undefined outside of the years 1 to 9999. */
export const dateText = (days: number): string | undefined =>
  days < MIN_DAY || days > MAX_DAY ? undefined : new Date(days * 86_400_000).toISOString().slice(0, 10);

/** A time as the kernel's VARCHAR; undefined outside of the years 1 to 9999. */
export function timestampText(micros: bigint): string | undefined {
  let [day, rest] = [micros / DAY_MICROS, micros % DAY_MICROS];
  if (rest < 0n) [day, rest] = [day - 1n, rest + DAY_MICROS];
  const date = dateText(Number(day));
  return date && `${date} ${timeText(rest)}`;
}

/** A time of day as the kernel's VARCHAR. */
export function timeText(micros: bigint): string {
  const part = (value: bigint, digits = 2) => String(value).padStart(digits, '0');
  const seconds = micros / 1_000_000n;
  return `${part(seconds / 3600n)}:${part((seconds / 60n) % 60n)}:${part(seconds % 60n)}.${part(micros % 1_000_000n, 6)}`;
}
