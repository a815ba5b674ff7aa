import type { PlanOutline } from './plan-outline.ts';

interface KernelPlan {
  readonly name?: string;
  readonly extra_info?: Readonly<Record<string, unknown>>;
  readonly children?: readonly KernelPlan[];
}

/**
 * The outline of what the kernel's `EXPLAIN (FORMAT json)` tells.
 *
 * @param rename for texts in which tables stand by names that users do not know
 */
export function physicalOutline(json: string, rename: (text: string) => string): PlanOutline {
  const parsed = JSON.parse(json) as KernelPlan | readonly KernelPlan[];
  return outline((Array.isArray(parsed) ? parsed[0] : parsed) ?? {}, rename);
}

function outline(
  { name = '', extra_info = {}, children = [] }: KernelPlan,
  rename: (text: string) => string,
): PlanOutline {
  const details: Record<string, string> = {};
  for (const [key, value] of Object.entries(extra_info)) {
    const text = (Array.isArray(value) ? value.map(String) : [String(value)])
      .filter((t) => t !== '')
      .join(', ');
    if (text !== '') details[key] = rename(text);
  }
  return { operator: rename(name.trim()), details, inputs: children.map((child) => outline(child, rename)) };
}
