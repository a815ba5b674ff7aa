import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ALERTS, alerts, dashboard, MONITORING } from './expressions.ts';

const run = promisify(execFile);
const OPERATIONS = join(import.meta.dirname, '../../../docs/operations.md');

test('promtool finds nothing wrong with the rules', async () => {
  const { stdout } = await run('promtool', ['check', 'rules', ALERTS]);
  expect(stdout).toContain('SUCCESS');
});

test('every alert fires when it should, and only then', async () => {
  await run('promtool', ['test', 'rules', 'alerts.test.yaml'], { cwd: MONITORING });
  const tested = readFileSync(join(MONITORING, 'alerts.test.yaml'), 'utf8');
  for (const { alert } of alerts()) expect(tested, alert).toContain(`alertname: ${alert}\n`);
});

test('every alert has a severity and a link to the section that explains it', () => {
  const sections = [...readFileSync(OPERATIONS, 'utf8').matchAll(/^#+ (\w+)$/gm)].map((match) => match[1]);
  for (const { alert, labels, annotations } of alerts()) {
    expect(['info', 'warning', 'critical'], alert).toContain(labels.severity);
    expect(annotations.summary, alert).not.toBe('');
    expect(annotations.runbook_url, alert).toMatch(
      new RegExp(`^https://.*/docs/operations\\.md#${alert.toLowerCase()}$`),
    );
    expect(sections, 'sections of docs/operations.md').toContain(alert);
  }
  const named = sections.filter((section) => section?.startsWith('Tessera'));
  expect(named.toSorted()).toEqual(
    alerts()
      .map(({ alert }) => alert)
      .toSorted(),
  );
});

test('the dashboard has its rows and variables, and no panel twice', () => {
  const { panels, templating } = dashboard();
  const rows = ['Traffic', 'Latency', 'Errors', 'Memory', 'Storage', 'Metadata', 'Cluster', 'Processes'];
  expect(panels.map(({ title }) => title)).toEqual(expect.arrayContaining(rows));
  expect(templating.list.map(({ name }) => name)).toEqual(['datasource', 'job', 'instance']);
  const titles = panels.map(({ title }) => title);
  expect(titles).toEqual([...new Set(titles)]);
});
