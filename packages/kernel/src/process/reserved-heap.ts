import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

const TEXT_BYTES = 4_000;
/** A page of V8 has 256 KiB. A live object in 64 KiB keeps every page, whatever order the collector gives them. */
const KEEP_EVERY_BYTES = 64 << 10;
/** For an object that is kept beside free memory. */
const KEPT_BYTES = 256;

/**
 * A compiled function in about 64 KiB of code and 40 KiB of bytecode keeps every page of either kind. V8 takes long to compile functions,
 * so others fill the pages in between: regular expressions, which take 14 KiB of code each (references to groups are what V8 compiles
 * fastest), and a script that V8 reads from its own cache, with 5 KiB of bytecode for each function.
 */
const CODE = { functions: 50, expressionsBetween: 4, scriptFunctions: 7 };
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
  kept.push(...code.map(({ compiled }) => compiled));
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
  for (let reserved = 0; reserved < bytes; reserved += KEEP_EVERY_BYTES) {
    allocate(KEEP_EVERY_BYTES - KEPT_BYTES);
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
  kept.push(...texts.filter((_, i) => i % Math.floor(KEEP_EVERY_BYTES / TEXT_BYTES) === 0));
}

/** Functions with bytecode and compiled code, which have pages of their own, and what fills the pages between them. */
function compileCode(): { readonly compiled: unknown; readonly between: readonly unknown[] }[] {
  setFlagsFromString('--always-sparkplug');
  setFlagsFromString('--no-regexp-tier-up');
  try {
    const cachedData = run(new Script(SCRIPT)).createCachedData();
    return Array.from({ length: CODE.functions }, (_, i) => {
      const compiled = new Function('x', 'y', `${STATEMENTS} return x + ${i};`);
      compiled(0, []);
      // V8 would not read a script of the same name again.
      const script = run(new Script(SCRIPT, { cachedData, filename: `reserved ${i}` }));
      const expressions = Array.from({ length: CODE.expressionsBetween }, (_, n) => {
        const expression = new RegExp(`${i} ${n}(x)${'\\1'.repeat(195)}`);
        expression.test('');
        return expression;
      });
      return { compiled, between: [script, ...expressions] };
    });
  } finally {
    setFlagsFromString('--no-always-sparkplug');
    setFlagsFromString('--regexp-tier-up');
  }
}

/** Calls the functions of the script, because V8 compiles a function at its first call. */
function run(script: Script): Script {
  const functions = script.runInThisContext() as ((x: number, y: readonly number[]) => void)[];
  for (const call of functions) call(0, []);
  return script;
}

function collect(type: 'major' | 'minor', flavor: 'regular' | 'last-resort' = 'regular'): void {
  if (globalThis.gc === undefined) throw new Error('the kernel process needs --expose-gc');
  globalThis.gc({ execution: 'sync', type, flavor });
}
