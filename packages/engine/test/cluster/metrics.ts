import type { TesseraProcess } from '../tessera-process.ts';

/**
 * The value of a metric, whose name may be followed by the labels that identify it: `name{process="queries"}`. The label
 * `engine`, which every metric has, is left out.
 * @throws Error if the node has no such metric
 */
export async function metric(node: Pick<TesseraProcess, 'metricsUrl'>, name: string): Promise<number> {
  const text = await (await fetch(`${node.metricsUrl}/metrics`)).text();
  const samples = text.split('\n').map((line) => line.replace(/,?engine="[^"]*"/, '').replace(/\{,?\}/, ''));
  const sample = samples.find((line) => line.replace('{,', '{').startsWith(`${name} `));
  if (sample === undefined) throw new Error(`no metric ${name}`);
  return Number(sample.slice(sample.lastIndexOf(' ') + 1));
}
