import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

/** The alert rules are what docs/monitoring.md calls worth an alert. */

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const metricsIn = (text: string) => [...new Set(text.match(/savepoint_\w+/g))].sort();

test('the rules name the metrics that are worth an alert, each with what to do', () => {
  const { groups } = parse(read('infra/grafana/alerts.yml'));
  const [section] = /## Worth an alert[\s\S]*?(?=\n## )/.exec(read('docs/monitoring.md')) ?? [''];
  const rules: readonly { alert: string; expr: string; labels: object; annotations: { summary: string } }[] = groups[0].rules;
  expect(metricsIn(rules.map(({ expr }) => expr).join(' '))).toEqual(metricsIn(section));
  for (const rule of rules)
    expect(rule).toMatchObject({
      alert: expect.stringMatching(/^Savepoint[A-Z]/),
      labels: { severity: expect.any(String) },
      annotations: { summary: expect.any(String) },
    });
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
});

test('the example of Prometheus loads them', () => {
  expect(parse(read('infra/grafana/prometheus.yml'))).toMatchObject({
    rule_files: ['alerts.yml'],
    scrape_configs: [{ job_name: 'savepoint' }],
  });
  expect(read('infra/docker/docker-compose.yml')).toContain('alerts.yml:/etc/prometheus/alerts.yml:ro');
});
