import type { Random } from '../generate/random.ts';
import { ADJECTIVES, ADVERBS, MODALS, NOUNS, VERBS } from './vocabulary.ts';

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Sentences, truncated to a length between both bounds. */
export function prose(random: Random, least: number, most: number): string {
  const length = random.integer(least, most);
  let text = '';
  while (text.length < length) text += `${text === '' ? '' : ' '}${sentence(random)}`;
  return text.slice(0, length).trimEnd();
}

function sentence(random: Random): string {
  const subject = `${random.of(ADJECTIVES)} ${random.of(NOUNS)}`;
  const object = random.chance(0.6) ? ` ${random.of(ADJECTIVES)} ${random.of(NOUNS)}` : '';
  const end = random.chance(0.4) ? ` ${random.of(ADVERBS)}` : '';
  const text = `${subject} ${random.of(MODALS)} ${random.of(VERBS)}${object}${end}.`;
  return text[0]!.toUpperCase() + text.slice(1);
}

/** Random letters and digits. */
export function jumble(random: Random, least: number, most: number): string {
  let text = '';
  for (let left = random.integer(least, most); left > 0; left--)
    text += ALPHANUMERIC[random.integer(0, ALPHANUMERIC.length - 1)];
  return text;
}
