/**
 * Parses the date and time patterns of PostgreSQL's to_char, to_date and to_timestamp into fields and literal
 * text.
 * https://www.postgresql.org/docs/current/functions-formatting.html
 */
export type PatternItem =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'field';
      /** The field's name in upper case, as in FIELDS. */
      readonly field: string;
      /** The field as written; its case decides the case of names such as months. */
      readonly written: string;
      /** Whether `FM` precedes the field, which turns padding off. */
      readonly fill: boolean;
      /** The ordinal suffix after the field: `TH`, `th` or none. */
      readonly ordinal: '' | 'TH' | 'th';
    };

/** If one field is a prefix of another, the longer one comes first. */
const FIELDS = [
  ...['Y,YYY', 'YYYY', 'YYY', 'YY', 'Y', 'IYYY', 'IYY', 'IY', 'IDDD', 'ID', 'IW', 'I'],
  ...['HH24', 'HH12', 'HH', 'MI', 'MONTH', 'MON', 'MM', 'MS', 'SSSSS', 'SSSS', 'SS', 'US'],
  ...['FF1', 'FF2', 'FF3', 'FF4', 'FF5', 'FF6', 'A.M.', 'P.M.', 'AM', 'PM', 'A.D.', 'B.C.', 'AD', 'BC'],
  ...['DAY', 'DY', 'DDD', 'DD', 'D', 'WW', 'W', 'CC', 'Q', 'RM', 'J', 'TZH', 'TZM', 'TZ', 'OF'],
];

export function parseDatetimePattern(pattern: string): readonly PatternItem[] {
  const items: PatternItem[] = [];
  let at = 0;
  while (at < pattern.length) {
    const quoted = /^"((?:[^"\\]|\\.)*)"?/s.exec(pattern.slice(at));
    if (quoted) {
      items.push({ kind: 'text', text: (quoted[1] ?? '').replace(/\\(.)/gs, '$1') });
      at += quoted[0].length;
      continue;
    }
    if (pattern.startsWith('\\"', at)) {
      items.push({ kind: 'text', text: '"' });
      at += 2;
      continue;
    }
    const fill = /^(?:FM|TM)+/i.exec(pattern.slice(at))?.[0] ?? '';
    const rest = pattern.slice(at + fill.length);
    const field = FIELDS.find((candidate) => rest.toUpperCase().startsWith(candidate));
    if (field === undefined) {
      const [character = ''] = pattern.slice(at);
      items.push({ kind: 'text', text: character });
      at += character.length;
      continue;
    }
    const ordinal = (/^th/i.exec(rest.slice(field.length))?.[0] ?? '') as 'TH' | 'th' | '';
    items.push({
      kind: 'field',
      field,
      written: rest.slice(0, field.length),
      fill: fill !== '',
      ordinal: ordinal === '' || ordinal === 'TH' ? ordinal : 'th',
    });
    at += fill.length + field.length + ordinal.length;
  }
  return items;
}
