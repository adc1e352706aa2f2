import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const text = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface Locked {
  readonly version: string;
  readonly integrity?: string;
}
const { packages }: { packages: Record<string, Locked> } = JSON.parse(text('package-lock.json'));
const manifest: Record<string, Record<string, string>> = JSON.parse(text('package.json'));

describe('what is installed', () => {
  it('is pinned to one version each', () => {
    const asked = ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) => Object.entries(manifest[kind] ?? {}));
    expect(asked.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([]);
  });

  it('is what its hash says, on every system', () => {
    const bare = Object.entries(packages).filter(([path, { integrity }]) => path !== '' && integrity === undefined);
    expect(bare.map(([path]) => path)).toEqual([]);
  });

  it('images are named by digest, but for the EventStoreDB, which whoever runs it chooses', () => {
    const images = [...`${text('Dockerfile')}${text('infra/docker/docker-compose.yml')}`.matchAll(/^(?:FROM| +image:) (\S+)/gm)].map(
      ([, image]) => image,
    );
    expect(images.length).toBeGreaterThan(5);
    expect(images.filter((image) => !/@sha256:[0-9a-f]{64}$/.test(image ?? ''))).toEqual([expect.stringContaining('EVENTSTORE_IMAGE')]);
  });
});
