/**
 * Runs the simulation with each planted defect in the scheduler until a seed detects it. Prints a line for each of `MUTANTS`:
 * that seed, or `unnoticed`.
 * Argument: the number of seeds to try.
 */
import { registerHooks } from 'node:module';
import { MUTANTS } from './mutants.ts';

const SCHEDULER = new URL('../../', import.meta.url).href;
const seeds = Number(process.argv[2]);
const planted = new Set<string>();

registerHooks({
  // The modules of the scheduler and of its simulation are loaded again for each defect, whose position is their query.
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context);
    const { search } = new URL(context.parentURL ?? import.meta.url);
    if (search === '' || !resolved.url.startsWith(SCHEDULER)) return resolved;
    return { ...resolved, url: resolved.url + search };
  },
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const { search } = new URL(url);
    const mutant = MUTANTS[Number(search.slice(1) || -1)];
    if (mutant === undefined || url !== `${SCHEDULER}src/${mutant.file}${search}`) return loaded;
    const source = Buffer.from(loaded.source as Uint8Array).toString('utf8');
    if (source.split(mutant.find).length !== 2)
      throw new Error(`${mutant.file} must have once: ${mutant.find}`);
    planted.add(search);
    return { ...loaded, source: source.replace(mutant.find, () => mutant.replace) };
  },
});

for (const [position, { file }] of MUTANTS.entries()) {
  const search = `?${position}`;
  const { simulate }: typeof import('./simulate.ts') = await import(`./simulate.ts${search}`);
  if (!planted.has(search)) throw new Error(`${file} is not part of the scheduler`);
  let noticed: number | undefined;
  for (let seed = 0; seed < seeds && noticed === undefined; seed++) {
    try {
      if (simulate(seed).problems.length > 0) noticed = seed;
    } catch {
      noticed = seed;
    }
  }
  process.stdout.write(`${noticed ?? 'unnoticed'}\n`);
}
