import { hostname } from 'node:os';
import type { Command } from 'commander';
import { members, optional, text, wholeNumber } from '../folder/answer-shape.ts';
import { needSafeAddress, reachable, serverAddress, serverOf } from '../folder/credentials.ts';
import { type Answered, exchange } from '../folder/exchange.ts';
import { FolderProblem } from '../folder/problem.ts';
import { addressOf } from '../folder/project-file.ts';
import { RemoteRefusal, RemoteUnreachable } from '../folder/refusal.ts';
import { checkedBody, Remote } from '../folder/remote.ts';
import { keepPerson, keepUserKeys } from '../folder/user-file.ts';
import { pause } from '../kernel/pause.ts';
import { printNote, printResult } from './context.ts';
import { type RemoteOptions, remoteCommand } from './remote.ts';

interface LoginOptions extends RemoteOptions {
  readonly publicKey?: string;
  readonly console?: string | true;
}

const WHERE =
  'The console has an address of its own, beside that of the node (CONSOLE_LISTEN): `savepoint console link` beside the node prints it.';

/** Where the console of a node on this machine is. */
const CONSOLE_HERE = 'http://console.localhost:8090';

/** `savepoint login`: stores a project's secret key, or who signs in, in the user's own file. */
export function loginCommand(): Command {
  return remoteCommand('login', 'keep the secret key of the project in your own file (~/.config/savepoint); it is read from standard input')
    .option('--console [url]', `sign yourself in instead, by a code that you confirm in the console (default: ${CONSOLE_HERE})`)
    .option('--public-key <key>', 'the public key, for types and clients')
    .action(async (options: LoginOptions) => {
      const at = options.console;
      await (at === undefined ? keepKey(options) : signInAt(options, at === true ? CONSOLE_HERE : at));
    })
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint login\n  echo "$SECRET" | savepoint login --address https://game.example --project p1\n  savepoint login --console https://console.game.example',
    );
}

async function keepKey(options: LoginOptions): Promise<void> {
  const { isNamed: _, ...server } = serverOf(options);
  needSafeAddress(server.address);
  if (process.stdin.isTTY) printNote(`The secret key of project ${server.project} on ${server.address}, and Enter:`);
  const secretKey = await firstLine();
  if (secretKey === '') throw new FolderProblem('NO_KEY', 'No key came on standard input.');
  const { publicKey } = options;
  await new Remote({ ...server, secretKey, publicKey: publicKey ?? null }).validate();
  const path = keepUserKeys(server, { secretKey, ...(publicKey === undefined ? {} : { publicKey }) });
  printResult(
    options,
    { ok: true, address: server.address, project: server.project, file: path },
    () => `The key works, and is kept in ${path}.`,
  );
}

/** The person confirms on the page what the command shows: no password is typed here, and whatever signs in there does. */
async function signInAt(options: LoginOptions, url: string): Promise<void> {
  const console = new URL(addressOf(url, '--console')).origin;
  needSafeAddress(console);
  const server = serverAddress(options);
  const address = server ?? console;
  const begun = await post(console, '', { machine: `savepoint on ${hostname()}` });
  const { code, secret, page, everyS } = checkedBody<Begun>(begun, BEGUN);
  printNote(`Open ${page} in a browser, sign in there, and type this code:\n\n    ${code}\n\nThis waits for ten minutes.`);
  for (;;) {
    await pause(everyS * 1_000);
    // Refused, when nobody has confirmed it for ten minutes.
    const answer = checkedBody<Taken>(await post(console, '/token', { secret }), TAKEN);
    if (answer.token === undefined) continue;
    const { token, name = '', until } = answer;
    const file = keepPerson(address, { console, name, token });
    const shown = { ok: true, address, console, person: name, until, file };
    const there = server === null ? `with \`--address ${address}\`` : 'there';
    return printResult(options, shown, () => `You are ${name} on ${address}. Commands ${there} name you; \`savepoint logout\` ends it.`);
  }
}

interface Begun {
  readonly code: string;
  readonly secret: string;
  readonly page: string;
  readonly everyS: number;
}
const BEGUN = members({ code: text, secret: text, page: text, everyS: wholeNumber });

interface Taken {
  readonly token?: string;
  readonly name?: string;
  readonly until?: string;
}
const TAKEN = members({ token: optional(text), name: optional(text), until: optional(text) });

function post(console: string, path: string, body: Readonly<Record<string, string>>): Promise<Answered> {
  const asked = exchange({ method: 'POST', url: `${reachable(console)}/api/command-line${path}`, body, again: 'never' });
  return asked.catch((error: unknown) => {
    const isNone = error instanceof RemoteUnreachable || (error instanceof RemoteRefusal && error.status === 404);
    throw isNone
      ? new FolderProblem('NO_CONSOLE', `There is no console at ${console}: ${error.message.replace(/\.$/, '')}. ${WHERE}`)
      : error;
  });
}

async function firstLine(): Promise<string> {
  let read = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    read += String(chunk);
    if (read.includes('\n') || read.length > 1024) break;
  }
  return read.split('\n')[0]?.trim() ?? '';
}
