const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The JSON Schema pattern of a duration in the file. */
export const DURATION_PATTERN = '^[0-9]+(\\.[0-9]+)?[smhd]$';
const SHAPE = new RegExp(DURATION_PATTERN);

/** Parses `30s`, `1.5h`, `7d`. Returns whole milliseconds, or undefined if the text is not a duration. */
export function parseDurationMs(text: string): number | undefined {
  if (!SHAPE.test(text)) return undefined;
  const ms = Math.round(Number(text.slice(0, -1)) * UNIT_MS[text.at(-1)!]!);
  return Number.isSafeInteger(ms) ? ms : undefined;
}

/** Formats milliseconds in the largest unit that divides them: 90,000 is `90s`, 86,400,000 is `1d`. */
export function formatDuration(ms: number): string {
  const unit = ['d', 'h', 'm'].find((u) => ms !== 0 && ms % UNIT_MS[u]! === 0) ?? 's';
  return `${ms / UNIT_MS[unit]!}${unit}`;
}
