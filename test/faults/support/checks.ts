import type { Answer, Call } from '../../../infra/harness/http.ts';
import { at, listAt, numberAt, textAt } from '../../../infra/harness/json.ts';
import { expectCurrent, expectOk, type Project, secretHeaders, storagePath } from '../../../infra/harness/project.ts';
import { hasKey, KINDS, sendAgain, townOf, type Write } from './writers.ts';

/** Faults that must never be found. Each line names the write or document and what is wrong. */
export interface Findings {
  /** Acknowledged, but missing. */
  readonly lost: string[];
  /** There more than once, or there although it was refused. */
  readonly doubled: string[];
  /** There only in part: one of two documents, a counter without its mark, a ledger that does not add up. */
  readonly torn: string[];
}

export function noFindings(): Findings {
  return { lost: [], doubled: [], torn: [] };
}

export async function checkWrites(project: Project, writes: readonly Write[], findings: Findings): Promise<void> {
  await checkCounters(project, of(writes, 'operations'), findings);
  await checkSaves(project, of(writes, 'save'), findings);
  await checkGrants(project, of(writes, 'endpoint'), findings);
  await checkFeed(project, of(writes, 'append'), findings);
}

/**
 * Sends again, with its Idempotency-Key, what a client would send again: all writes with an unknown outcome, and the last that were
 * acknowledged. An unknown save is left out: its client has gone on, and saving it now would undo later saves. Returns the writes with
 * their new outcomes.
 */
export async function repeatKeyed(project: Project, writes: readonly Write[], findings: Findings): Promise<readonly Write[]> {
  const keyed = writes.filter(hasKey);
  for (const write of KINDS.flatMap((kind) =>
    of(keyed, kind)
      .filter((one) => one.outcome === 'acknowledged')
      .slice(-20),
  )) {
    const answer = await again(project, write);
    if (answer.headers['idempotent-replay'] !== 'true') findings.doubled.push(`${write.mark}: done again, where it was acknowledged`);
    if ((textAt(answer.body, 'record._id') ?? null) !== write.recordId) findings.doubled.push(`${write.mark}: made another record`);
  }
  const repeated = new Map<Write, Write>();
  for (const write of keyed.filter((one) => one.outcome === 'unknown' && one.kind !== 'save')) {
    const answer = await again(project, write);
    repeated.set(write, { ...write, outcome: 'acknowledged', recordId: textAt(answer.body, 'record._id') ?? null });
  }
  return writes.map((write) => repeated.get(write) ?? write);
}

function again(project: Project, write: Write): Promise<Answer> {
  return expectOk(
    'sending a request again',
    patiently(() => sendAgain(project, write)),
  );
}

/**
 * What `writes` left behind, as the node of `project` shows it, and those answers that `explained` does not cover. It first writes itself,
 * so that the node reads the log up to its head.
 */
export async function accountOf(
  project: Project,
  writes: readonly Write[],
  explained: RegExp,
): Promise<Findings & { readonly unexplained: readonly string[] }> {
  const mark = () => project.http.send('POST', storagePath(project, 'crash_counters/mark'), { ...serverCall(project), body: { n: 1 } });
  await expectOk('a mark', patiently(mark));
  const findings = noFindings();
  await checkWrites(project, writes, findings);
  const answers = new Set(writes.map((write) => write.answer));
  return { ...findings, unexplained: [...answers].filter((answer) => answer !== '200' && !explained.test(answer)) };
}

async function checkCounters(project: Project, writes: readonly Write[], findings: Findings): Promise<void> {
  for (const [key, own] of byKey(writes)) {
    const held = await document(project, 'crash_counters', key);
    const marks = marksOf(held);
    compare(own, marks, findings);
    if (marks.length > 0 && numberAt(held, 'n') !== marks.length)
      findings.torn.push(`counter ${key}: n ${numberAt(held, 'n')}, ${marks.length} marks`);
  }
}

/**
 * A save replaces the one before. So the stored one must be the last that was acknowledged or a later one, and its version must count no
 * write twice.
 */
async function checkSaves(project: Project, writes: readonly Write[], findings: Findings): Promise<void> {
  for (const [key, own] of byKey(writes)) {
    const answer = await read(project, `crash_saves/${key}`);
    const seq = answer.status === 404 ? 0 : numberAt(answer.body, 'seq');
    const version = answer.status === 404 ? 0 : Number(answer.headers['x-ns-save-version']);
    const acknowledged = own.filter((write) => write.outcome === 'acknowledged');
    const until = own.filter((write) => write.seq <= seq);
    const least = until.filter((write) => write.outcome === 'acknowledged').length;
    const most = until.filter((write) => write.outcome !== 'refused').length;
    if (seq < (acknowledged.at(-1)?.seq ?? 0))
      findings.lost.push(`save ${key}: ${seq} is there, ${acknowledged.at(-1)?.seq} was acknowledged`);
    if (version < least) findings.lost.push(`save ${key}: version ${version} after ${least} acknowledged writes`);
    if (version > most) findings.doubled.push(`save ${key}: version ${version} after at most ${most} writes`);
    if (own.some((write) => write.seq === seq && write.outcome === 'refused')) findings.doubled.push(`save ${key}: ${seq} was refused`);
  }
}

async function checkGrants(project: Project, writes: readonly Write[], findings: Findings): Promise<void> {
  for (const [key, own] of byKey(writes)) {
    const player = await document(project, 'crash_players', key);
    const town = await document(project, 'crash_towns', townOf(key));
    const marks = marksOf(player);
    compare(own, marks, findings);
    if (marks.join() !== marksOf(town).join()) findings.torn.push(`${key}: player has ${marks.length} marks, town ${marksOf(town).length}`);
    if (marks.length === 0) continue;
    if (numberAt(player, 'gold') !== marks.length) findings.torn.push(`${key}: gold ${numberAt(player, 'gold')}, ${marks.length} marks`);
    if (numberAt(town, 'n') !== marks.length) findings.torn.push(`${key}: town n ${numberAt(town, 'n')}, ${marks.length} marks`);
    const sources = (await ledger(project, key)).map((entry) => textAt(entry, 'source') ?? '');
    if (sources.join() !== marks.join()) findings.torn.push(`${key}: ${sources.length} ledger entries for ${marks.length} marks`);
  }
}

async function checkFeed(project: Project, writes: readonly Write[], findings: Findings): Promise<void> {
  const rounds = new Set(writes.map((write) => write.round));
  const oldest = Math.min(...rounds);
  const isOwn = (mark: string) => rounds.has(roundOf(mark));
  const marks: string[] = [];
  let after = '';
  for (;;) {
    const page = await current(project, `crash_feed/list?limit=100${after === '' ? '' : `&after=${after}`}`);
    const found = listAt(page, 'records').map((record) => textAt(record, 'mark') ?? '');
    marks.push(...found.filter(isOwn));
    const cursor = at(page, 'cursor');
    const older = found.some((mark) => roundOf(mark) < oldest);
    if (cursor === null || cursor === undefined || older) break;
    after = String(cursor);
  }
  compare(writes, marks, findings);
}

/** Every acknowledged mark exactly once, every unknown one at most once, every refused one never, and nothing else. */
function compare(writes: readonly Write[], marks: readonly string[], findings: Findings): void {
  const times = new Map<string, number>();
  for (const mark of marks) times.set(mark, (times.get(mark) ?? 0) + 1);
  for (const write of writes) {
    const found = times.get(write.mark) ?? 0;
    times.delete(write.mark);
    if (found === 0 && write.outcome === 'acknowledged') findings.lost.push(`${write.kind} ${write.mark}`);
    if (found > 1) findings.doubled.push(`${write.kind} ${write.mark}: ${found} times`);
    if (found > 0 && write.outcome === 'refused') findings.doubled.push(`${write.kind} ${write.mark}: stored although ${write.answer}`);
  }
  for (const mark of times.keys()) findings.doubled.push(`${mark}: nobody wrote this here`);
}

async function document(project: Project, collection: string, key: string): Promise<unknown> {
  const answer = await read(project, `${collection}/${key}`);
  if (answer.status !== 200 && answer.status !== 404)
    throw new Error(`${collection}/${key} answered ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.status === 404 ? null : answer.body;
}

async function ledger(project: Project, key: string): Promise<readonly unknown[]> {
  const entries: unknown[] = [];
  let cursor = '';
  for (;;) {
    const page = await current(
      project,
      `crash_players/${key}/ledger?limit=500${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    entries.push(...listAt(page, 'entries'));
    const next = at(page, 'cursor');
    if (next === null || next === undefined) return entries;
    cursor = String(next);
  }
}

async function current(project: Project, rest: string): Promise<unknown> {
  return (await expectCurrent(rest, () => read(project, rest))).body;
}

const read = (project: Project, rest: string): Promise<Answer> =>
  patiently(() => project.http.send('GET', storagePath(project, rest), serverCall(project)));

/**
 * Asks again until the answer is neither 503 nor 504, for requests that may be sent twice. A node that has just lost its log or its
 * database says so with 503, and with 504 if a busy machine left it too little time.
 */
export async function patiently(ask: () => Promise<Answer>): Promise<Answer> {
  for (const until = performance.now() + PATIENCE_MS; ; await pause()) {
    const answer = await ask();
    if ((answer.status !== 503 && answer.status !== 504) || performance.now() > until) return answer;
  }
}

const PATIENCE_MS = 60_000;
const pause = () => new Promise((resolve) => setTimeout(resolve, 50));

const serverCall = (project: Project): Call => ({ headers: secretHeaders(project) });
const of = (writes: readonly Write[], kind: Write['kind']) => writes.filter((write) => write.kind === kind);
const marksOf = (held: unknown) => listAt(held, 'marks').map(String);
const roundOf = (mark: string) => Number(/^r(\d+)-/.exec(mark)?.[1] ?? -1);

function byKey(writes: readonly Write[]): ReadonlyMap<string, readonly Write[]> {
  const groups = new Map<string, Write[]>();
  for (const write of writes) {
    const group = groups.get(write.key) ?? [];
    groups.set(write.key, group);
    group.push(write);
  }
  return groups;
}
