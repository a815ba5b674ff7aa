import { SPEECH, type WeightedWords } from './distributions.ts';
import { RandomStream } from './random-stream.ts';

/** Every comment is a piece of this text. */
export const TEXT_POOL_SIZE = 300 * 1024 * 1024;
const SEED = 933_588_178;
const LONGEST_SENTENCE = 256;

const SPACE = 0x20;

/** Fills the pool with sentences of clause 4.2.2.14's grammar; the last one is cut. */
export function fillTextPool(pool: Uint8Array): void {
  const writer = new SentenceWriter(pool, new RandomStream(SEED, 1, 0));
  while (writer.end < pool.length - LONGEST_SENTENCE) writer.sentence();
  const rest = new SentenceWriter(new Uint8Array(2 * LONGEST_SENTENCE), writer.random);
  const left = pool.length - writer.end;
  while (rest.end < left) rest.sentence();
  pool.set(rest.bytes.subarray(0, left), writer.end);
}

class SentenceWriter {
  readonly bytes: Uint8Array;
  readonly random: RandomStream;
  end = 0;

  constructor(bytes: Uint8Array, random: RandomStream) {
    this.bytes = bytes;
    this.random = random;
  }

  sentence(): void {
    const kind = this.random.integer(0, 10);
    this.#nounPhrase();
    if (kind >= 9) this.#prepositionalPhrase();
    this.#verbPhrase();
    if (kind >= 3 && (kind < 6 || kind === 10)) this.#prepositionalPhrase();
    else if (kind >= 6) this.#nounPhrase();
    // A terminator stands at the last word.
    this.end--;
    this.#word(TERMINATORS);
  }

  #nounPhrase(): void {
    const kind = this.random.integer(0, 89);
    if (kind >= 40) this.#word(ADVERBS);
    if (kind >= 10) this.#word(ADJECTIVES);
    if (kind >= 30 && kind < 40) {
      this.bytes[this.end - 1] = 0x2c;
      this.bytes[this.end++] = SPACE;
      this.#word(ADJECTIVES);
    }
    this.#word(NOUNS);
  }

  #verbPhrase(): void {
    const kind = this.random.integer(0, 71);
    if (kind === 30 || kind === 71) this.#word(AUXILIARIES);
    this.#word(VERBS);
    if (kind >= 31) this.#word(ADVERBS);
  }

  #prepositionalPhrase(): void {
    this.#word(PREPOSITIONS);
    this.#nounPhrase();
  }

  #word(table: WordTable): void {
    const word = table[this.random.integer(0, table.length - 1)]!;
    const { bytes } = this;
    let { end } = this;
    for (let i = 0; i < word.length; i++) bytes[end++] = word[i]!;
    this.end = end;
  }
}

/** Each word as often as its weight says, what follows it at its end. */
type WordTable = readonly Uint8Array[];

const NOUNS = wordTable(SPEECH.nouns);
const VERBS = wordTable(SPEECH.verbs);
const ADJECTIVES = wordTable(SPEECH.adjectives);
const ADVERBS = wordTable(SPEECH.adverbs);
const AUXILIARIES = wordTable(SPEECH.auxiliaries);
const TERMINATORS = wordTable(SPEECH.terminators);
const PREPOSITIONS = wordTable(SPEECH.prepositions, ' the ');

function wordTable(words: WeightedWords, suffix = ' '): WordTable {
  return words.flatMap(([weight, list]) =>
    list.split(',').flatMap((word) => {
      const bytes = new TextEncoder().encode(word + suffix);
      return Array.from({ length: weight }, () => bytes);
    }),
  );
}
