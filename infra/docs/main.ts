import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryFolder } from '../harness/node.ts';
import { GENERATED } from './generated.ts';

/** `npm run docs`: writes all generated files. */

for (const { file, render } of GENERATED) {
  const path = join(repositoryFolder(), file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, await render());
  console.log(file);
}
