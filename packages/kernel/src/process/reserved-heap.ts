import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

const TEXT_BYTES = 4_000;
/** The size of an ordinary page of V8 is 256 KiB with its head, so that it has room for two pieces of this size. */
const PIECE_BYTES = 126 << 10;
/** A live text in 64 KiB keeps every page, whatever order the collector gives them. */
const TEXTS_BYTES = 64 << 10;
/** For an object that is kept beside free memory. */
const KEPT_BYTES = 256;

/**
 * V8 compiles these units to get pages for code and for bytecode, which it keeps apart. Each unit takes 64 KiB of code and 45 KiB of
 * bytecode; a small part of both stays and keeps the page. The code is that of regular expressions, because V8 compiles references to
 * groups fastest. The bytecode is that of a script that V8 reads from its own cache.
 */
const CODE = { units: 50, keptReferences: 60, freedReferences: 780, scriptFunctions: 9 };
const STATEMENTS = Array.from({ length: 100 }, (_, i) => `x = (x * ${i + 2} + y[${i}]) | 0;`).join('');
const SCRIPT = `[${Array(CODE.scriptFunctions).fill(`(x, y) => { ${STATEMENTS} }`).join()}]`;

/** Keeps the pages. */
const kept: unknown[] = [];

/**
 * Gives the old generation of V8 `bytes` of free memory that it never returns to the system, and some to its compilers.
 * V8 ends the process if it gets no page for an object that survives a collection, or for code, and queries may hold all
 * memory at that moment. Without compaction, V8 keeps each page that has a live object and allocates in the rest of the
 * page. The memory is reserved, but not resident until V8 uses it.
 * The flags that this depends on are in `kernel-process-handle.ts`.
 * @param spread puts objects that stay into pages of the old generation
 * @returns the bytes of the heap that are reserved and not resident
 */
export function reserveHeap(bytes: number, spread = spreadSymbols): number {
  const code = compileCode();
  spread(bytes);
  kept.push(...code.map(({ stays }) => stays));
  code.length = 0;
  // It also lets the system take the pages' free memory.
  collect('major', 'last-resort');
  collect('minor');
  collect('minor');
  const { total_heap_size, total_physical_size } = getHeapStatistics();
  return total_heap_size - total_physical_size;
}

/** Keeps symbols, which V8 allocates in the old generation, between pieces of free memory that nothing has touched. */
function spreadSymbols(bytes: number): void {
  const allocate = allocatorInOldGeneration();
  if (allocate === undefined) {
    spreadTexts(bytes);
    return;
  }
  for (let reserved = 0; reserved < bytes; reserved += PIECE_BYTES) {
    allocate(PIECE_BYTES - KEPT_BYTES);
    kept.push(Symbol());
  }
}

/** V8's own function that allocates free memory in the old generation; undefined if this version of V8 does not have it. */
function allocatorInOldGeneration(): ((bytes: number) => void) | undefined {
  setFlagsFromString('--allow-natives-syntax');
  try {
    return new Function('bytes', '%AllocateInOldGeneration(bytes, 0);') as (bytes: number) => void;
  } catch {
    return undefined;
  } finally {
    setFlagsFromString('--no-allow-natives-syntax');
  }
}

/** Has V8 copy texts to the old generation, which takes several times as long, and keeps some of them. */
export function spreadTexts(bytes: number): void {
  const source = Buffer.alloc(TEXT_BYTES);
  const texts = Array.from({ length: bytes / TEXT_BYTES }, () => source.toString('latin1'));
  // Two of them: an object moves to the old generation when it survives its second collection.
  collect('minor');
  collect('minor');
  kept.push(...texts.filter((_, i) => i % Math.floor(TEXTS_BYTES / TEXT_BYTES) === 0));
}

/** Functions and regular expressions of which a few stay. */
function compileCode(): { readonly stays: unknown; readonly freed: unknown }[] {
  setFlagsFromString('--no-regexp-tier-up');
  try {
    const script = new Script(SCRIPT);
    compiledFunctions(script);
    const cachedData = script.createCachedData();
    return Array.from({ length: CODE.units }, (_, i) => {
      // V8 would not read a script of the same name again.
      const [stays, ...freed] = compiledFunctions(
        new Script(SCRIPT, { cachedData, filename: `reserved ${i}` }),
      );
      return {
        stays: [stays, compiledExpression(i, CODE.keptReferences)],
        freed: [freed, compiledExpression(i, CODE.freedReferences)],
      };
    });
  } finally {
    setFlagsFromString('--regexp-tier-up');
  }
}

/** V8 compiles a function at its first call. */
function compiledFunctions(script: Script): readonly unknown[] {
  const functions = script.runInThisContext() as ((x: number, y: readonly number[]) => void)[];
  for (const call of functions) call(0, []);
  return functions;
}

function compiledExpression(unique: number, references: number): RegExp {
  const expression = new RegExp(`${unique}(x)${'\\1'.repeat(references)}`);
  expression.test('');
  return expression;
}

function collect(type: 'major' | 'minor', flavor: 'regular' | 'last-resort' = 'regular'): void {
  if (globalThis.gc === undefined) throw new Error('the kernel process needs --expose-gc');
  globalThis.gc({ execution: 'sync', type, flavor });
}
