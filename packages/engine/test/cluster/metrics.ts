import type { TesseraProcess } from '../tessera-process.ts';

/** The value of a metric without labels. @throws Error if the node has no such metric */
export async function metric(node: Pick<TesseraProcess, 'metricsUrl'>, name: string): Promise<number> {
  const text = await (await fetch(`${node.metricsUrl}/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  if (line === undefined) throw new Error(`no metric ${name}`);
  return Number(line.slice(name.length + 1));
}
