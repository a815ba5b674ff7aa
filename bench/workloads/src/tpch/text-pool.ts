import { COPY_SLACK } from '../parquet/text-builder.ts';
import { SPEECH, type WeightedWords } from './distributions.ts';
import { RandomStream } from './random-stream.ts';

const POOL_SIZE = 300 * 1024 * 1024;
const SEED = 933_588_178;
/** A bound on the length of a sentence. */
const SENTENCE_SPACE = 1024;
const COMMA = 0x2c;
const SPACE = 0x20;

/**
 * The text from which every comment is cut. All threads share its bytes, which {@link TextPool.fill} creates
 * once.
 */
export class TextPool {
  static readonly size = POOL_SIZE;
  readonly view: DataView<SharedArrayBuffer>;

  constructor(bytes: SharedArrayBuffer) {
    this.view = new DataView(bytes);
  }

  /** The size of the buffer: the text, and the bytes by which the last sentence and readers may exceed it. */
  static allocate(): SharedArrayBuffer {
    return new SharedArrayBuffer(POOL_SIZE + SENTENCE_SPACE + COPY_SLACK);
  }

  /** Writes sentences by the grammar of clause 4.2.2.14. */
  fill(): void {
    const writer = new SentenceWriter(this.view);
    while (writer.end < POOL_SIZE) writer.sentence();
  }
}

class SentenceWriter {
  end = 0;
  readonly #text: DataView;
  readonly #random = new RandomStream(SEED, 1, 0);

  constructor(text: DataView) {
    this.#text = text;
  }

  sentence(): void {
    const kind = this.#random.integer(0, 10);
    this.#nounPhrase();
    if (kind >= 9) this.#prepositionalPhrase();
    this.#verbPhrase();
    if (kind === 10 || (kind >= 3 && kind < 6)) this.#prepositionalPhrase();
    else if (kind >= 6) this.#nounPhrase();
    // The terminator replaces the space after the last word.
    this.end--;
    this.#word(TERMINATORS);
  }

  #nounPhrase(): void {
    const kind = this.#random.integer(0, 89);
    if (kind >= 40) this.#word(ADVERBS);
    if (kind >= 10) this.#word(ADJECTIVES);
    if (kind >= 30 && kind < 40) {
      this.#text.setUint8(this.end - 1, COMMA);
      this.#text.setUint8(this.end++, SPACE);
      this.#word(ADJECTIVES);
    }
    this.#word(NOUNS);
  }

  #verbPhrase(): void {
    const kind = this.#random.integer(0, 71);
    if (kind === 30 || kind === 71) this.#word(AUXILIARIES);
    this.#word(VERBS);
    if (kind >= 31) this.#word(ADVERBS);
  }

  #prepositionalPhrase(): void {
    this.#word(PREPOSITIONS);
    this.#nounPhrase();
  }

  #word({ total, places, lengths, letters }: WordTable): void {
    const place = places[this.#random.integer(0, total - 1)]!;
    const length = lengths[place]!;
    const { end } = this;
    const text = this.#text;
    text.setFloat64(end, letters[WORD_PARTS * place]!, true);
    if (length > 8) {
      text.setFloat64(end + 8, letters[WORD_PARTS * place + 1]!, true);
      text.setFloat64(end + 16, letters[WORD_PARTS * place + 2]!, true);
    }
    this.end = end + length;
  }
}

/** Words are copied eight bytes at a time. The longest word and the bytes after it take three such steps. */
const WORD_PARTS = 3;

interface WordTable {
  /** The sum of all weights. */
  readonly total: number;
  /** Contains the position of each word as often as its weight says. */
  readonly places: Uint8Array;
  readonly lengths: Uint8Array;
  readonly letters: Float64Array;
}

const NOUNS = wordTable(SPEECH.nouns);
const VERBS = wordTable(SPEECH.verbs);
const ADJECTIVES = wordTable(SPEECH.adjectives);
const ADVERBS = wordTable(SPEECH.adverbs);
const AUXILIARIES = wordTable(SPEECH.auxiliaries);
const TERMINATORS = wordTable(SPEECH.terminators);
const PREPOSITIONS = wordTable(SPEECH.prepositions, ' the ');

function wordTable(weighted: WeightedWords, suffix = ' '): WordTable {
  const words = weighted.flatMap(([weight, list]) =>
    list.split(',').map((word) => ({ weight, bytes: Buffer.from(word + suffix) })),
  );
  const places = words.flatMap(({ weight }, place) => Array.from({ length: weight }, () => place));
  const letters = new Float64Array(WORD_PARTS * words.length);
  const bytes = new Uint8Array(letters.buffer);
  for (const [place, word] of words.entries()) bytes.set(word.bytes, 8 * WORD_PARTS * place);
  return {
    total: places.length,
    places: Uint8Array.from(places),
    lengths: Uint8Array.from(words, (word) => word.bytes.length),
    letters,
  };
}
