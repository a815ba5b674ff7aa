/** Regular expressions of the kernel for texts that a cast to a date or a time may read. */

const ZONE = String.raw`(?:[Zz]|[+-]\d{1,2}(?::?\d{2}){0,2}|(?i:UTC|GMT|EST|EDT|CST|CDT|MST|MDT|PST|PDT|CET|CEST)|[A-Za-z_]+/[\w/+-]+)`;
const CLOCK = String.raw`(?:[01]?\d|2[0-4]):[0-5]?\d(?::[0-6]?\d(?:\.\d*)?)?`;
const DAY = String.raw`\s*\d{3,}(?:-\d{1,2}-|/\d{1,2}/)\d{1,2}`;
const DIGITS = String.raw`\s*\d{8}`;

/** A text that begins with a date, of which the kernel might ignore the end. */
export const DATE_BEGINS = String.raw`^\s*-?\d+[-/\\ ]\d{1,2}[-/\\ ]\d`;
/** A zone may follow a date, as the JDBC driver writes it: `2024-02-29 +00`. */
export const DATE_TEXT = String.raw`(?:${DAY}|${DIGITS})(?: \(BC\))?(?:\s*${ZONE})?(?:[Tt ]\s*${CLOCK}\s*${ZONE}?)?(?:\s+(?i:AD|BC))?\s*`;
/** Year zero, which does not exist. */
export const YEAR_ZERO = String.raw`^\s*0+[-/]`;
/** A year before Christ as PostgreSQL writes it, in two groups: the date, and what follows it. */
export const ERA = String.raw`^(\s*\d+-\d+-\d+)(.*?)\s+BC\s*$`;
/** A point in time with a zone, in three groups: what precedes the zone, the zone, and what follows it. */
export const ZONED = String.raw`^(\s*\d+[-/]\d+[-/]\d+[ Tt]\d+:[\d:.]+)\s*(${ZONE})(.*)$`;

export const TIME_BEGINS = String.raw`^\s*\d{1,2}:\d{1,2}`;
export const TIME = String.raw`${CLOCK}\s*${ZONE}?`;
