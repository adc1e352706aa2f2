import { describe, expect, it } from 'vitest';
import { TakenPaths } from '../../src/folder/taken-paths.ts';

function taken(paths: readonly string[], existing: readonly string[] = []): TakenPaths {
  const made = new TakenPaths(existing);
  for (const path of paths) made.add(path);
  return made;
}

describe('the path of a pulled file', () => {
  it('is free where no file has it', () => {
    expect(taken(['a/b.yml']).isFree('a/c.yml')).toBe(true);
    expect(taken(['a/b.yml']).isFree('a/b.yml')).toBe(false);
  });

  it('is taken by one that differs in letter case alone, unless the folder shows that its file system tells them apart', () => {
    expect(taken(['A/x.yml']).isFree('a/x.yml')).toBe(false);
    expect(taken(['A/x.yml'], ['A/x.yml', 'a/x.yml']).isFree('a/x.yml')).toBe(true);
    expect(taken(['A/x.yml'], ['a/x.yml']).isFree('a/x.yml')).toBe(false);
  });

  it('is taken where it is a folder of another file, or lies below one', () => {
    expect(taken(['a.yml/b.yml']).isFree('a.yml')).toBe(false);
    expect(taken(['a.yml']).isFree('A.yml/b.yml')).toBe(false);
  });
});
