import { chmodSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { programPath } from '../../../infra/harness/node.ts';
import { here } from './command-line.ts';
import { newFolder } from './program.ts';

/**
 * What a shell finds under the name `savepoint`: the command line, run in this process, because a process for each takes most of a second.
 * Only what reads its standard input is the program itself.
 */
export interface Shell {
  /** The folder of `savepoint`, for `PATH`. */
  readonly folder: string;
  close(): void;
}

/** Takes a folder for the answer, the working directory, the words and the environment, all ended by NUL. */
const SCRIPT = (address: string) => `#!/bin/sh
[ "$1" != login ] || exec '${process.execPath}' '${programPath()}' "$@"
answer=$(mktemp -d)
{ printf '%s\\0' "$answer" "$PWD" "$#" "$@"; env -0; } | curl -sSf --data-binary @- ${address} || exit 70
cat "$answer/stdout"
cat "$answer/stderr" >&2
code=$(cat "$answer/code")
rm -r "$answer"
exit "$code"
`;

export async function openShell(): Promise<Shell> {
  const server = createServer((request, response) => {
    text(request)
      .then(perform)
      .then(
        () => response.end(),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const folder = newFolder();
  const file = join(folder, 'savepoint');
  writeFileSync(file, SCRIPT(`http://127.0.0.1:${address.port}/`));
  chmodSync(file, 0o755);
  return { folder, close: () => server.close() };
}

async function perform(request: string): Promise<void> {
  const [answer = '', folder = '', count = '', ...rest] = request.split('\0').slice(0, -1);
  const words = rest.slice(0, Number(count));
  const pairs = rest.slice(Number(count)).map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]);
  const before = process.cwd();
  process.chdir(folder);
  try {
    const { code, stdout, stderr } = await here(words, { env: Object.fromEntries(pairs) });
    for (const [name, said] of Object.entries({ code: String(code), stdout, stderr })) writeFileSync(join(answer, name), said);
  } finally {
    process.chdir(before);
  }
}
