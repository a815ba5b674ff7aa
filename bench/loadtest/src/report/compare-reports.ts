import type { Figure } from './figure.ts';
import { number } from './number.ts';
import type { Report } from './report.ts';

/** A figure that two reports have in common. */
interface Pair {
  readonly title: string;
  readonly what: string;
  readonly column: string;
  readonly was: Figure;
  readonly is: Figure;
}

type Verdict = 'worse' | 'better' | 'alike' | 'unknown';

export interface Comparison {
  /** A page of Markdown. */
  readonly page: string;
  /** The number of figures that became worse beyond the noise. */
  readonly worse: number;
}

/** A median that differs by less than this part is taken for noise, even if the runs of each report agree. */
const NOISE = 0.05;
/** With a single run the noise is not known; only changes beyond this factor are shown. */
const SINGLE_RUN_FACTOR = 1.25;

const RATES: ReadonlySet<string> = new Set(['MB/s', 'rows/s', 'requests/s']);

/** Compares two reports: names what became worse or better by more than the runs differ among themselves. */
export function compareReports(before: Report, after: Report): Comparison {
  const pairs = after.results.flatMap((result) => {
    const earlier = before.results.find(({ benchmark }) => benchmark === result.benchmark);
    return result.lines.flatMap(({ what, figures }) => {
      const old = earlier?.lines.find((line) => line.what === what)?.figures ?? {};
      return Object.entries(figures).flatMap(([column, is]): Pair[] => {
        const was = old[column];
        if (was === undefined || was.unit !== is.unit || !isComparable(was, is)) return [];
        return [{ title: result.title, what, column, was, is }];
      });
    });
  });
  if (pairs.length === 0) return { page: 'The two reports have nothing in common.\n', worse: 0 };
  const of = (verdict: Verdict) => pairs.filter((pair) => verdictOf(pair) === verdict).sort(byFactor);
  const [worse, better, unknown] = [of('worse'), of('better'), of('unknown')];
  const sections = [
    section('Worse beyond the noise', worse),
    section('Better beyond the noise', better),
    section(`One run only, and changed by more than a factor of ${SINGLE_RUN_FACTOR}`, unknown),
    `${pairs.length - worse.length - better.length - unknown.length} of ${pairs.length} figures are alike: their spreads meet, or their medians differ by less than ${100 * NOISE} %.`,
  ].filter((text) => text !== undefined);
  return { page: `${[context(before, after), ...sections].join('\n\n')}\n`, worse: worse.length };
}

const isComparable = (was: Figure, is: Figure): boolean =>
  Number.isFinite(was.median) && Number.isFinite(is.median) && was.median > 0 && is.median > 0;

function verdictOf({ was, is }: Pair): Verdict {
  const factor = factorOf(was, is);
  if (was.runs < 2 || is.runs < 2) return factor > SINGLE_RUN_FACTOR ? 'unknown' : 'alike';
  const areApart = is.min > was.max || is.max < was.min;
  if (!areApart || factor < 1 + NOISE) return 'alike';
  return is.median > was.median === growsForTheBetter(is) ? 'better' : 'worse';
}

/** Rates should be high, and so should figures with a least value as their target; times, sizes and ratios low. */
const growsForTheBetter = ({ unit, target }: Figure): boolean =>
  target === undefined ? RATES.has(unit) : target.at === 'least';

/** How much the medians differ, at least 1. */
const factorOf = (was: Figure, is: Figure): number =>
  Math.max(is.median / was.median, was.median / is.median);

const byFactor = (a: Pair, b: Pair): number => factorOf(b.was, b.is) - factorOf(a.was, a.is);

function section(heading: string, pairs: readonly Pair[]): string | undefined {
  if (pairs.length === 0) return undefined;
  const rows = pairs.map(({ title, what, column, was, is }) => {
    const medians = `${spreadText(was)} → ${spreadText(is)} ${is.unit}`.trimEnd();
    return `| ${title} | ${what} | ${column} | ${medians} | × ${number(is.median / was.median)} |`;
  });
  return [
    `## ${heading}`,
    '',
    '| benchmark | case | figure | before → after | change |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

const spreadText = ({ median, min, max, runs }: Figure): string =>
  runs > 1 ? `${number(median)} (${number(min)} – ${number(max)})` : number(median);

/** The runs that are compared, with a warning if they were made under different conditions. */
function context(before: Report, after: Report): string {
  const named = ({ commit, startedAt }: Report) => `${startedAt.slice(0, 16)} (${commit ?? 'no commit'})`;
  return [
    `# ${named(before)} → ${named(after)}`,
    ...(before.machine.cpu !== after.machine.cpu || before.machine.cores !== after.machine.cores
      ? ['The machines differ.']
      : []),
    ...(before.scale === after.scale ? [] : [`The scales differ: ${before.scale} and ${after.scale}.`]),
  ].join('\n\n');
}
