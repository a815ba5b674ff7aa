/** Regular expressions, for JavaScript and the kernel alike, for the texts that a cast to a date or a time of day may read. */

const ZONE = String.raw`(?:[Zz]|[+-]\d{1,2}(?::?\d{2}){0,2})`;
const CLOCK = String.raw`\d{1,2}:\d{2}(?::\d{2}(?:\.\d*)?)?`;
const DAY = String.raw`\s*-?\d+[-/\\ ]\d{1,2}[-/\\ ]\d{1,2}`;

/** A text that begins with a date; the kernel reads it and ignores what follows. */
export const DATE_BEGINS = `^${DAY}(?:\\D|$)`;
/** The time behind a date, whose hour, minute and second are those of a clock. */
const TIME_BEHIND = String.raw`(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-6]\d(?:\.\d*)?)?\s*(?:${ZONE}|[A-Za-z]{1,5}|[A-Za-z_]+/[\w/+-]+)?`;
/** A date may have a zone behind it, as the JDBC driver writes it: `2024-02-29 +00`. */
export const DATE_TEXT = String.raw`${DAY}(?: \(BC\))?(?:\s*${ZONE}|\s+(?:UTC|GMT|utc|gmt))?(?:[Tt ]\s*${TIME_BEHIND})?(?:\s+(?:AD|BC|ad|bc))?\s*`;
/** A year before Christ as PostgreSQL writes it, in two groups: the date, and what follows it. */
export const ERA = String.raw`^(\s*\d+-\d+-\d+)(.*?)\s+BC\s*$`;

export const TIME_BEGINS = String.raw`^\s*\d{1,2}:\d{2}`;
export const TIME = String.raw`${CLOCK}\s*${ZONE}?`;
