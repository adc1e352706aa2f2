import type { Answer } from '../../../infra/harness/http.ts';
import { textAt } from '../../../infra/harness/json.ts';
import { endpointPath, errorCode, type Project, playerHeaders, secretHeaders, storagePath } from '../../../infra/harness/project.ts';

export type Kind = 'operations' | 'save' | 'endpoint' | 'append';

/**
 * What the client knows of one write. `refused`: the node said that it did not store it. `unknown`: the connection broke, or the node said
 * that it does not know. `recordId`: the answer to an acknowledged append.
 */
export interface Write {
  readonly round: number;
  readonly kind: Kind;
  /** Unique in the whole run. */
  readonly mark: string;
  /** Number of this write among its client's writes, from 1. */
  readonly seq: number;
  /** Key of the document; for endpoint calls the player's. */
  readonly key: string;
  readonly outcome: 'acknowledged' | 'refused' | 'unknown';
  /** `cut off`, or status, code and whether there was a Retry-After. */
  readonly answer: string;
  readonly recordId: string | null;
}

/** Clients that are writing. */
export interface Writing {
  acknowledged(): number;
  /** How many writes of one kind to one document are acknowledged so far. */
  acknowledgedTo(kind: Kind, key: string): number;
  /** When the first write that was sent at `since` or later was acknowledged (`performance.now()`); `null` if none was yet. */
  acknowledgedAfter(since: number): number | null;
  /** Resolves with all writes when the clients have ended, by themselves or by {@link Writing.stop}. */
  readonly ended: Promise<readonly Write[]>;
  stop(): Promise<readonly Write[]>;
}

export interface WritingOptions {
  readonly clients?: number;
  /** Number of the first client. Writers of one round that write through several nodes need different numbers. */
  readonly first?: number;
  /** A client ends when its connection breaks, instead of connecting again. */
  readonly untilGone?: boolean;
}

interface Shared {
  readonly project: Project;
  readonly round: number;
  readonly untilGone: boolean;
  readonly acknowledged: { readonly write: Write; readonly sentAt: number; readonly at: number }[];
  going: boolean;
}

export const KINDS: readonly Kind[] = ['operations', 'save', 'endpoint', 'append'];
export const CLIENTS = 16;
/** A node without its database refuses at once. A game waits a little before it tries again. */
const PAUSE_MS = 50;
/** The marks of one client in one document. Then the client goes on to the next document, so that each stays below the limit of 64 KiB. */
const MARKS_PER_DOCUMENT = 150;
/** All clients of one kind share each document, so that their writes meet. The town of a player's document is shared, too. */
export const townOf = (key: string) => `town-${key}`;

/** Starts clients that write until they are stopped. `round` is unique in the project. */
export function startWriting(project: Project, round: number, options: WritingOptions = {}): Writing {
  const { clients = CLIENTS, first = 0, untilGone = false } = options;
  const shared: Shared = { project, round, untilGone, acknowledged: [], going: true };
  const all = Array.from({ length: clients }, (_, client) => writeAlone(shared, first + client));
  const ended = Promise.all(all).then((writes) => writes.flat());
  return {
    ended,
    acknowledged: () => shared.acknowledged.length,
    acknowledgedTo: (kind, key) => shared.acknowledged.filter(({ write }) => write.kind === kind && write.key === key).length,
    acknowledgedAfter: (since) => shared.acknowledged.find(({ sentAt }) => sentAt >= since)?.at ?? null,
    stop() {
      shared.going = false;
      return ended;
    },
  };
}

/** Sends the same request again with its key, like a client that never got its answer. */
export function sendAgain(project: Project, write: Write): Promise<Answer> {
  return send(project, write);
}

/** All appends and half of the other writes have an Idempotency-Key. The rest show what holds without one. */
export function hasKey({ kind, seq }: Plan): boolean {
  return kind === 'append' || seq % 2 === 0;
}

async function writeAlone(shared: Shared, client: number): Promise<readonly Write[]> {
  const { project, round } = shared;
  const kind = KINDS[client % KINDS.length] ?? 'operations';
  const writes: Write[] = [];
  for (let seq = 1; shared.going; seq++) {
    const key = kind === 'save' ? `r${round}-c${client}` : `r${round}-${Math.floor(seq / MARKS_PER_DOCUMENT)}`;
    const plan = { round, kind, mark: `r${round}-c${client}-${seq}`, seq, key };
    const sentAt = performance.now();
    const answer = await send(project, plan).catch((error: unknown) => String(error));
    const write = { ...plan, ...outcomeOf(answer) };
    writes.push(write);
    if (write.outcome === 'acknowledged') shared.acknowledged.push({ write, sentAt, at: performance.now() });
    if (typeof answer === 'string' && shared.untilGone) break;
    if (typeof answer === 'string' || answer.status >= 500) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return writes;
}

type Plan = Pick<Write, 'kind' | 'mark' | 'seq' | 'key'>;

function send(project: Project, plan: Plan): Promise<Answer> {
  const { kind, mark, seq, key } = plan;
  const { http } = project;
  const named = hasKey(plan) ? { 'idempotency-key': mark } : {};
  const headers = { ...playerHeaders(project, '76561198000000001'), ...named };
  if (kind === 'save') return http.send('POST', storagePath(project, `crash_saves/${key}`), { headers, body: { seq, mark } });
  if (kind === 'endpoint') {
    const body = { player: key, town: townOf(key), mark };
    return http.send('POST', endpointPath(project, 'crash-grant'), { headers, body });
  }
  if (kind === 'append') {
    const asServer = { ...secretHeaders(project), 'x-platform-id': '76561198000000001', ...named };
    return http.send('POST', storagePath(project, 'crash_feed/append'), { headers: asServer, body: { mark } });
  }
  const ops = [
    { op: 'inc', path: 'n', value: 1 },
    { op: 'push', path: 'marks', value: mark },
  ];
  return http.send('POST', storagePath(project, `crash_counters/${key}`), { headers, body: { ops } });
}

function outcomeOf(answer: Answer | string): Pick<Write, 'outcome' | 'answer' | 'recordId'> {
  if (typeof answer === 'string') return { outcome: 'unknown', answer: 'cut off', recordId: null };
  const code = errorCode(answer);
  if (code === null) return { outcome: 'acknowledged', answer: '200', recordId: textAt(answer.body, 'record._id') ?? null };
  // 503 means "never sent", 504 "unknown". Any other 5xx is a fault that promises nothing.
  const refused = answer.status < 500 || answer.status === 503;
  const retry = answer.headers['retry-after'] === undefined ? '' : ' Retry-After';
  return { outcome: refused ? 'refused' : 'unknown', answer: `${answer.status} ${code}${retry}`, recordId: null };
}
