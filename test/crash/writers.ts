import type { Answer } from '../../infra/harness/http.ts';
import { textAt } from '../../infra/harness/json.ts';
import { endpointPath, errorCode, type Project, playerHeaders, secretHeaders, storagePath } from '../../infra/harness/project.ts';

export type Kind = 'operations' | 'save' | 'endpoint' | 'append';

/**
 * What the client knows of one write. `refused`: the node said that it did not store it; `unknown`: the connection broke, or the node
 * said that it does not know. `recordId` is the answer of an acknowledged append.
 */
export interface Write {
  readonly round: number;
  readonly kind: Kind;
  /** Unique over the whole run. */
  readonly mark: string;
  /** Number of this write among its client's, from 1. */
  readonly seq: number;
  /** Key of the document; for endpoint calls the player's. */
  readonly key: string;
  readonly outcome: 'acknowledged' | 'refused' | 'unknown';
  readonly answer: string;
  readonly recordId: string | null;
}

const KINDS: readonly Kind[] = ['operations', 'save', 'endpoint', 'append'];
export const CLIENTS = 16;
/** A document takes so many marks of one client before the client goes on to the next, to stay below the limit of 64 KiB. */
const MARKS_PER_DOCUMENT = 150;
/** All clients of one kind share each document, so that writes meet; the town of a player's document is shared alike. */
export const townOf = (key: string) => `town-${key}`;

export interface Writing {
  /** Acknowledged so far. */
  acknowledged(): number;
  /** Lets the clients end where the node lives on. */
  stop(): void;
  /** Everything they did, once they have ended: when the node is gone, or after `stop`. */
  readonly writes: Promise<readonly Write[]>;
}

/** Runs the clients of one round. */
export function startWriting(project: Project, round: number): Writing {
  const state = { over: false, acknowledged: 0 };
  const clients = Array.from({ length: CLIENTS }, (_, client) => writeAlone(project, round, client, state));
  return {
    acknowledged: () => state.acknowledged,
    stop: () => {
      state.over = true;
    },
    writes: Promise.all(clients).then((writes) => writes.flat()),
  };
}

/** Sends the same append again, as a client does that never got its answer. */
export function appendAgain(project: Project, write: Write): Promise<Answer> {
  return send(project, write);
}

async function writeAlone(
  project: Project,
  round: number,
  client: number,
  state: { readonly over: boolean; acknowledged: number },
): Promise<readonly Write[]> {
  const kind = KINDS[client % KINDS.length] ?? 'operations';
  const writes: Write[] = [];
  for (let seq = 1; !state.over; seq++) {
    const key = kind === 'save' ? `r${round}-c${client}` : `r${round}-${Math.floor(seq / MARKS_PER_DOCUMENT)}`;
    const plan = { round, kind, mark: `r${round}-c${client}-${seq}`, seq, key };
    const answer = await send(project, plan).catch((error: unknown) => String(error));
    const write = { ...plan, ...outcomeOf(answer) };
    writes.push(write);
    if (write.outcome === 'acknowledged') state.acknowledged += 1;
    if (typeof answer === 'string') return writes;
    // A node without its database refuses at once; a game waits a little before it tries again.
    if (answer.status >= 500) await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return writes;
}

type Plan = Pick<Write, 'kind' | 'mark' | 'seq' | 'key'>;

function send(project: Project, { kind, mark, seq, key }: Plan): Promise<Answer> {
  const { http } = project;
  const headers = playerHeaders(project, '76561198000000001');
  if (kind === 'save') return http.send('POST', storagePath(project, `crash_saves/${key}`), { headers, body: { seq, mark } });
  if (kind === 'endpoint') {
    const body = { player: key, town: townOf(key), mark };
    return http.send('POST', endpointPath(project, 'crash-grant'), { headers, body });
  }
  if (kind === 'append') {
    const withKey = { ...secretHeaders(project), 'x-platform-id': '76561198000000001', 'idempotency-key': mark };
    return http.send('POST', storagePath(project, 'crash_feed/append'), { headers: withKey, body: { mark } });
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
  // 503 says "never sent", 504 "unknown"; any other 5xx is a fault that promises nothing.
  const refused = answer.status < 500 || answer.status === 503;
  return { outcome: refused ? 'refused' : 'unknown', answer: `${answer.status} ${code}`, recordId: null };
}
