import { type Command, Option } from 'commander';
import { RemoteRefusal } from '../folder/refusal.ts';
import { positionOf, type Remote, type Target } from '../folder/remote.ts';
import { isArray, isObject, type Json, type JsonObject, stringifyJson, stringOrEmpty } from '../kernel/json.ts';
import { print } from './context.ts';
import { callInput } from './remote/arguments.ts';
import { unknownName } from './remote/names.ts';
import { asPlayer, objectsIn, pathOf, TARGETS } from './remote/requests.ts';
import { testEndpoint } from './remote/test-runs.ts';
import { prettyJson, shortJson, visible } from './remote/words.ts';
import { type RemoteOptions, remoteCommand, remoteOf, revealing } from './remote.ts';
import { styled } from './terminal.ts';

interface CallOptions extends RemoteOptions {
  readonly player?: string;
  readonly target: Target;
  readonly dryRun?: boolean;
}

interface EndpointCall {
  readonly slug: string;
  readonly input: JsonObject;
  readonly player: string | undefined;
  readonly target: Target;
}

/** `savepoint call`: calls an endpoint with the secret key, as a game server does. */
export function callCommand(): Command {
  return revealing(remoteCommand('call', 'call an endpoint and print its answer; exit code 1 when it is refused'))
    .argument('<slug>', 'the endpoint')
    .argument('[input...]', 'its input: JSON, or key=value pairs (JSON where it is some, else text), or - for standard input')
    .option('--player <id>', 'the player whose call it is')
    .addOption(new Option('--target <target>', 'the definitions and data to call').choices(TARGETS).default('live'))
    .option('--dry-run', 'store nothing; show each step and what would be written')
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint call buy item=axe amount=2 --player 42\n  savepoint call buy \'{"item":"axe"}\' --dry-run --target next',
    )
    .action(async (slug: string, words: string[], options: CallOptions) => {
      const remote = remoteOf(options);
      const request: EndpointCall = { slug, input: await callInput(words), player: options.player, target: options.target };
      const shown = options.dryRun ? await dryRun(remote, request) : await call(remote, request);
      print(options.json ? stringifyJson(shown.json) : shown.text);
      if (!shown.ok) process.exitCode = 1;
    });
}

interface Shown {
  readonly ok: boolean;
  readonly json: JsonObject;
  readonly text: string;
}

/** The answer of an endpoint, whatever its status. */
export interface EndpointAnswer {
  readonly status: number;
  readonly body: Json;
  readonly revision: number | null;
}

async function call(remote: Remote, { slug, input, player, target }: EndpointCall): Promise<Shown> {
  const answered = await remote
    .request('POST', pathOf(remote, 'endpoints', slug), { body: input, target, headers: asPlayer(player) })
    .then((answer): EndpointAnswer => ({ status: answer.status, body: answer.body ?? null, revision: positionOf(answer) }))
    .catch((error: unknown) => refusedCall(error));
  const refused = refusalIn(answered);
  if (refused?.code === 'ENDPOINT_NOT_FOUND') throw await unknownName(remote, 'endpoint', slug, target);
  const json = { ok: refused === null, ...answered, ...(refused === null ? {} : { error: { ...refused } }) };
  return { ok: refused === null, json, text: answerText(refused, answered) };
}

/** Turns a refusal by the endpoint into its answer. Throws the refusal of a key. */
export function refusedCall(error: unknown): EndpointAnswer {
  if (!(error instanceof RemoteRefusal) || error.code === 'UNAUTHORIZED') throw error;
  return { status: error.status, body: error.body, revision: null };
}

async function dryRun(remote: Remote, { slug, input, player, target }: EndpointCall): Promise<Shown> {
  const test = { slug, input, asServer: true, expect: { outcome: 'any' }, ...(player === undefined ? {} : { platformId: player }) };
  const report = await testEndpoint(remote, test, target, 'never').catch(async (error: unknown) => {
    throw error instanceof RemoteRefusal && error.code === 'ENDPOINT_NOT_FOUND'
      ? await unknownName(remote, 'endpoint', slug, target)
      : error;
  });
  const result = isObject(report['result']) ? report['result'] : {};
  const came = { status: Number(result['status']), body: result['body'] ?? null, revision: null };
  const refused = refusalIn(came);
  const warnings = isArray(report['warnings']) ? report['warnings'] : [];
  const lines = [
    ...objectsIn(report['steps']).map(stepLine),
    ...objectsIn(report['pendingWrites']).map(writeLine),
    ...warnings.map((warning) => styled('yellow', `! ${visible(String(warning))}`)),
    answerText(refused, came),
    styled('gray', 'A dry run: nothing was stored.'),
  ];
  return { ok: refused === null, json: { ...report, ok: refused === null }, text: lines.join('\n') };
}

export interface AuthorRefusal {
  readonly code: string;
  readonly message: string;
}

/** The author's refusal in an endpoint's answer; `null` for a success. */
export function refusalIn({ status, body }: EndpointAnswer): AuthorRefusal | null {
  const whole = isObject(body) ? body : {};
  if (status < 400 && whole['ok'] !== false) return null;
  const error = whole['error'];
  const said = isObject(error) ? error : whole;
  return {
    code: stringOrEmpty(said['code']) || stringOrEmpty(error) || `HTTP_${status}`,
    message: stringOrEmpty(said['message']) || stringOrEmpty(whole['message']),
  };
}

/** An answer as it is shown: the body, or code and message of a refusal with its details. */
export function answerText(refused: AuthorRefusal | null, { status, body }: EndpointAnswer): string {
  if (refused === null) return `${styled('green', String(status))} ${prettyJson(body)}`;
  const said = `${styled('red', `${status} ${visible(refused.code)}`)}  ${visible(refused.message)}`;
  const { step, ...more } = refusalDetails(status, body);
  const lines = [
    said,
    ...(isObject(step) ? [styled('gray', stepName(step))] : []),
    ...(Object.keys(more).length === 0 ? [] : [prettyJson(more)]),
  ];
  return lines.join('\n');
}

const ENVELOPE = ['ok', 'error', 'message', 'status'];
/** Members that the server adds to the refusal of a condition, for editors. The author wrote none of them. */
const CONDITION_MEMBERS = ['flagged', 'severity', 'conditionRejection', 'fireWebhook'];

/** A refusal's members besides code and message: the author's own, the failed step and other details; the request's id only of a 5xx. */
function refusalDetails(status: number, body: Json): JsonObject {
  if (!isObject(body)) return {};
  const known = body['conditionRejection'] === true ? [...ENVELOPE, ...CONDITION_MEMBERS] : ENVELOPE;
  const said = status < 500 ? ['code', 'message', 'requestId'] : ['code', 'message'];
  const error = isObject(body['error']) ? Object.entries(body['error']).filter(([name]) => !said.includes(name)) : [];
  return Object.fromEntries([...error, ...Object.entries(body).filter(([name]) => !known.includes(name))]);
}

function stepName({ id, type }: JsonObject): string {
  return visible(`in the step ${String(id ?? '')} (${String(type ?? '')})`);
}

function stepLine(step: JsonObject): string {
  const sign = step['passed'] === false ? styled('red', '✗') : styled('green', '✓');
  return `${sign} ${visible(String(step['id'] ?? ''))}  ${styled('gray', visible(String(step['type'] ?? '')))}  ${shortJson(step['result'] ?? null)}`;
}

function writeLine(write: JsonObject): string {
  const document = visible(`${write['collection']}/${write['key']}`);
  return `${styled('magenta', '→')} would ${write['op']} ${document}  ${write['op'] === 'delete' ? '' : shortJson(write['data'] ?? null)}`.trimEnd();
}
