import type { TesseraProcess } from '../tessera-process.ts';

/** The value of a metric without labels of its own. @throws Error if the node has no such metric */
export async function metric(node: Pick<TesseraProcess, 'metricsUrl'>, name: string): Promise<number> {
  const text = await (await fetch(`${node.metricsUrl}/metrics`)).text();
  const value = new RegExp(`^${name}\\{engine="[^"]*"\\} (\\S+)$`, 'm').exec(text)?.[1];
  if (value === undefined) throw new Error(`no metric ${name}`);
  return Number(value);
}
