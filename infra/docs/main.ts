import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryFolder } from '../harness/node.ts';
import { GENERATED } from './generated.ts';

/** `npm run docs`: writes every generated file anew. */

for (const { file, render } of GENERATED) {
  const path = join(repositoryFolder(), file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, await render());
  console.log(file);
}
