const LETTERS = 'ABCDEFGHIJKLMNOP';
const ID_LENGTH = 16;
/** One syllable for each digit. */
const DIGIT_WORDS = ['bar', 'ought', 'able', 'pri', 'ese', 'anti', 'cally', 'ation', 'eing', 'n st'];
const BRAND_WORDS = [
  'univ',
  'amalg',
  'importo',
  'exporti',
  'edu pack',
  'scholar',
  'corp',
  'brand',
  'nameless',
  'maxi',
];

/** The user-visible key: base-16 digits as letters, the low eight after the high eight. */
export function businessKey(number: number): string {
  let low = '';
  let rest = number;
  for (let place = 0; place < ID_LENGTH / 2; place++) {
    low += LETTERS[rest % 16];
    rest = Math.floor(rest / 16);
  }
  return `AAAAAAAA${low}`;
}

/** The decimal digits as syllables, the last digit first. */
export const digitWords = (number: number): string => spelled(number, DIGIT_WORDS);

export const brandWords = (number: number): string => spelled(number, BRAND_WORDS);

function spelled(number: number, words: readonly string[]): string {
  return [...String(number)]
    .reverse()
    .map((digit) => words[Number(digit)])
    .join('');
}
