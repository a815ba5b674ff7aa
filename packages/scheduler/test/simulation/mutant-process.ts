/**
 * Runs the simulation with one planted defect in the scheduler until a seed detects it. Prints that seed, or
 * `unnoticed`.
 * Arguments: the position in `MUTANTS`, and the number of seeds to try.
 */
import { registerHooks } from 'node:module';
import { MUTANTS } from './mutants.ts';

const [position, seeds] = process.argv.slice(2).map(Number);
const { file, find, replace } = MUTANTS[position!]!;
let isPlanted = false;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(`/scheduler/src/${file}`)) return loaded;
    const source = Buffer.from(loaded.source as Uint8Array).toString('utf8');
    if (source.split(find).length !== 2) throw new Error(`${file} must have once: ${find}`);
    isPlanted = true;
    return { ...loaded, source: source.replace(find, () => replace) };
  },
});

const { simulate } = await import('./simulate.ts');
if (!isPlanted) throw new Error(`${file} is not part of the scheduler`);
let noticed: string | undefined;
for (let seed = 0; seed < seeds! && noticed === undefined; seed++) {
  try {
    if (simulate(seed).problems.length > 0) noticed = String(seed);
  } catch {
    noticed = String(seed);
  }
}
process.stdout.write(noticed ?? 'unnoticed');
