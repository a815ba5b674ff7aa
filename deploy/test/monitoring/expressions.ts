import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export const MONITORING = join(import.meta.dirname, '../../monitoring');
export const ALERTS = join(MONITORING, 'alerts.yaml');
const DASHBOARD = join(MONITORING, 'dashboard.json');

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly (Alert | { readonly record: string; readonly expr: string })[];
  }[];
}

const rules = () => (parse(readFileSync(ALERTS, 'utf8')) as Rules).groups.flatMap((group) => group.rules);

export const alerts = (): Alert[] => rules().filter((rule) => 'alert' in rule);

interface Dashboard {
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

export const dashboard = (): Dashboard => JSON.parse(readFileSync(DASHBOARD, 'utf8')) as Dashboard;

/** Every expression of the rules and, with all its variables set, of the dashboard, by its location. */
export function expressions(): Map<string, string> {
  const all = new Map<string, string>();
  for (const rule of rules()) all.set('alert' in rule ? rule.alert : rule.record, rule.expr);
  for (const { title, targets = [] } of dashboard().panels) {
    for (const [i, { expr }] of targets.entries()) {
      all.set(
        `${title} ${i}`,
        expr.replaceAll('$__rate_interval', '1m').replaceAll(/\$(?:job|instance)/g, '.*'),
      );
    }
  }
  return all;
}
