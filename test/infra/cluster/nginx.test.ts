import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { settingsFor } from '../../../infra/cluster/nginx.ts';

const text = readFileSync(join(import.meta.dirname, '../../../infra/cluster/nginx.conf'), 'utf8');
const made = settingsFor(text, { port: 9000, nodes: [9001, 9002], folder: '/tmp/x y', asRoot: false });

test('a cluster runs the settings that the containers run, at its own addresses', () => {
  expect(made).toContain('listen 127.0.0.1:9000;');
  expect(made.match(/^ *server 127\.0\.0\.1:\d+ .*$/gm)).toEqual(
    [9001, 9002].map((port) => `    server 127.0.0.1:${port} max_fails=2 fail_timeout=2s;`),
  );
  expect(made).not.toContain('api-1');
  const rest = (settings: string) => settings.split('\n').filter((line) => !/(_temp_path|listen|server (api|127)|^daemon|^pid)/.test(line));
  expect(rest(made)).toEqual(rest(text));
});

test('a request that may be stored is never repeated, keys are written into no log', () => {
  expect(text).not.toMatch(/proxy_next_upstream [^;]*non_idempotent/);
  expect(text).toMatch(/access_log off;/);
  expect(text).toMatch(/error_log stderr crit;/);
});

test('a text without a place for the addresses is refused', () => {
  expect(() => settingsFor('http {\n}', { port: 1, nodes: [2], folder: '/x', asRoot: true })).toThrow(/nginx.conf has no/);
});
