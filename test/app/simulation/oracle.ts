import { NO_HASH, verifyLink } from '../../../src/log/chain.ts';
import type { RecordedEvent } from '../../../src/log/port.ts';
import type { Answer, Ask } from './commands.ts';
import { apply, type State, type Wallet, walletOf } from './model.ts';
import { bytesOf, type Submission } from './network.ts';
import { FIRST_LIMIT } from './setup.ts';

/** One command as its client saw it. Clients' times are virtual ms, machines' times unix ms. */
export interface Call {
  readonly commandId: string;
  readonly ask: Ask;
  readonly node: string;
  /** The log's end when it was asked: everything that was stored before must count. Of a command that only reads, the node's head. */
  readonly from: number;
  readonly askedAt: number;
  readonly machineFrom: number;
  ended?: {
    readonly at: number;
    readonly machineTo: number;
    /** The log's end at that time. */
    readonly to: number;
    readonly result: { readonly answer: Answer; readonly revision: number } | { readonly code: string; readonly status: number };
  };
}

/** One plain read of a wallet. */
export interface Look {
  readonly key: string;
  readonly node: string;
  /** The read must not be older: the node's head, or the position that the client asked for. */
  readonly from: number;
  /** The node's head at the answer. */
  readonly to: number;
  readonly wallet: Wallet;
}

export interface History {
  readonly calls: readonly Call[];
  readonly looks: readonly Look[];
  /** What a project said of itself where it should have answered. */
  readonly failures: readonly string[];
  readonly submissions: readonly Submission[];
  readonly log: readonly RecordedEvent[];
  readonly setupEnd: number;
  readonly deadlineMs: number;
}

/** Statuses that promise that nothing was stored. They need no reason in the project's state. */
const NOT_STORED = new Set(['STORAGE_UNAVAILABLE', 'BUSY', 'BEHIND', 'WRITE_CONFLICT']);

/** Replays the log by its own rules, and reports everything that any client was told wrongly. */
export function judge(history: History): string[] {
  const wrong: string[] = history.failures.map((failure) => `failure: ${failure}`);
  checkBytes(history, wrong);
  checkIds(history.submissions, wrong);
  const replay = new Replay(history, wrong);
  replay.run();
  for (const call of history.calls) replay.checkCall(call);
  for (const look of history.looks) replay.checkLook(look);
  return wrong;
}

/** The project's state after the last commit of the log, to compare with what nodes hold in the end. */
export function finalState(history: History): State {
  const replay = new Replay(history, []);
  replay.run();
  return replay.last;
}

function checkBytes({ log }: History, wrong: string[]): void {
  let hash = NO_HASH;
  let time = 0;
  const ids = new Set<string>();
  for (const event of log) {
    if (!verifyLink(hash, event)) wrong.push(`chain: the event at ${event.revision} does not follow the one before it`);
    if (ids.has(event.id)) wrong.push(`ids: ${event.id} lies in the log twice`);
    ids.add(event.id);
    const metadata = metadataOf(event);
    if (metadata.recordedAt < time) wrong.push(`time: runs backwards at ${event.revision}`);
    time = metadata.recordedAt;
    hash = metadata.seal;
  }
}

/** One id, one byte string: otherwise an append sent again could be taken for another one. Appends that the log excluded do not count. */
function checkIds(submissions: readonly Submission[], wrong: string[]): void {
  const known = new Map<string, string>();
  for (const { excluded, events, expected, node } of submissions) {
    for (const event of events) {
      const bytes = bytesOf(event, expected);
      const before = known.get(event.id);
      if (before !== undefined && before !== bytes)
        wrong.push(`ids: ${node} sent ${event.id} with other bytes while the first may be stored`);
      if (!excluded) known.set(event.id, bytes);
    }
  }
}

class Replay {
  readonly #history: History;
  readonly #wrong: string[];
  readonly #asks: ReadonlyMap<string, Ask>;
  /** The state at each revision that ends a commit. */
  readonly #states: (State | undefined)[] = [];
  readonly #times: number[] = [];
  /** Command → revision of its last event. */
  readonly #stored = new Map<string, number>();
  readonly #answers = new Map<string, Answer>();
  /** Refusals that are stored with their commands. */
  readonly #refusals = new Map<string, string>();
  readonly #documents = new Map<string, Readonly<Record<string, unknown>>>();
  readonly #limits = new Map<string, number>();
  last: State = { locked: false, limit: FIRST_LIMIT, wallets: new Map(), windows: new Map(), once: new Map(), transfers: new Map() };

  constructor(history: History, wrong: string[]) {
    this.#history = history;
    this.#wrong = wrong;
    this.#asks = new Map(history.calls.map(({ commandId, ask }) => [commandId, ask]));
  }

  run(): void {
    const { log, setupEnd } = this.#history;
    for (const event of log) this.#times.push(metadataOf(event).recordedAt);
    for (const event of log.slice(0, setupEnd + 1)) this.#learnLimit(event);
    this.#states[setupEnd] = this.last;
    let at = setupEnd + 1;
    while (at < log.length) {
      const { commandId } = metadataOf(log[at]);
      let next = at;
      while (next < log.length && metadataOf(log[next]).commandId === commandId) next += 1;
      this.#commit(commandId, log.slice(at, next));
      at = next;
      this.#states[at - 1] = this.last;
    }
  }

  /** Serial order is log order: a commit, carried out on the state before it, must give what was stored. */
  #commit(commandId: string, events: readonly RecordedEvent[]): void {
    const revision = events[events.length - 1]?.revision ?? -1;
    const ask = this.#asks.get(commandId);
    const before = this.last;
    const verdict = ask && !this.#stored.has(commandId) ? apply(before, ask, this.#times[revision] ?? 0) : null;
    const refused = verdict && 'refused' in verdict ? verdict : null;
    if (ask && refused?.state) {
      this.#stored.set(commandId, revision);
      this.#refusals.set(commandId, refused.refused);
      this.last = refused.state;
      if (events.some(({ type }) => type !== 'answer.kept')) this.#say(`${name(commandId, ask)} at ${revision} was refused, and wrote`);
      return;
    }
    if (!ask || !verdict || 'refused' in verdict || !verdict.changed) {
      const why = !ask
        ? "is nobody's"
        : !verdict
          ? 'is stored a second time'
          : 'refused' in verdict
            ? `should have been refused: ${verdict.refused}`
            : 'should have changed nothing';
      this.#say(`${ask ? name(commandId, ask) : commandId} at ${revision} ${why}`);
      return;
    }
    this.#stored.set(commandId, revision);
    this.#answers.set(commandId, verdict.answer);
    this.last = verdict.state;
    for (const event of events) this.#compare(commandId, ask, event, before);
    const touched = ask.kind === 'transfer' ? [ask.from, ask.to] : 'key' in ask ? [ask.key] : [];
    for (const key of touched) this.#compareWallet(name(commandId, ask), key);
  }

  #compare(commandId: string, ask: Ask, event: RecordedEvent, before: State): void {
    const data = JSON.parse(event.data);
    const say = (what: string) => this.#say(`${name(commandId, ask)} at ${event.revision}: ${what}`);
    if (event.type === 'source.stored' || event.type === 'definitions.published') {
      this.#learnLimit(event);
      return;
    }
    if (event.type === 'record.appended' && data.timestamp !== this.#times[event.revision])
      say('its record has another time than its event');
    if (event.type !== 'document.written' && event.type !== 'document.deleted') return;
    if (data.version !== walletOf(this.last, data.key).version) say(`version ${data.version}`);
    const document = { ...this.#documents.get(data.key), ...Object.fromEntries(data.changes ?? []) };
    this.#documents.set(data.key, event.type === 'document.deleted' ? {} : (data.document ?? document));
    for (const entry of data.ledger ?? []) {
      if (entry.before !== walletOf(before, data.key).gold) say(`a ledger that starts from ${entry.before}`);
    }
    for (const window of data.windows ?? []) {
      const used = this.last.windows.get(data.key);
      if (used?.used !== window.after || used?.start !== window.start) say(`a window of ${window.after} from ${window.start}`);
    }
  }

  #compareWallet(command: string, key: string): void {
    const { gold, mark } = walletOf(this.last, key);
    const document = this.#documents.get(key) ?? {};
    if ((document['gold'] ?? 0) === gold && (document['mark'] ?? 0) === mark) return;
    this.#say(`${command}: ${key} is ${JSON.stringify(document)} in the log, and should be ${gold} gold, mark ${mark}`);
  }

  /** Texts of rules by hash, and which of them a publish puts in force. */
  #learnLimit(event: RecordedEvent): void {
    const data = JSON.parse(event.data);
    if (event.type === 'source.stored' && data.text.includes('perMinute'))
      this.#limits.set(data.hash, JSON.parse(data.text)[0].windows.perMinute);
    if (event.type !== 'definitions.published') return;
    for (const change of data.changes) {
      const limit = this.#limits.get(change.hash);
      if (limit !== undefined && limit !== this.last.limit) this.#say(`the publish at ${event.revision} puts the limit ${limit} in force`);
    }
  }

  checkCall(call: Call): void {
    const { ended, commandId, ask } = call;
    if (!ended) return;
    const { result } = ended;
    const say = (what: string) => this.#say(`${call.node} ${name(commandId, ask)}: ${what}`);
    if (ended.at - call.askedAt > this.#history.deadlineMs + 1) say(`answered after ${ended.at - call.askedAt} ms`);
    const stored = this.#stored.get(commandId);
    if ('code' in result) {
      if (result.status === 500) say(`failed with ${result.code}`);
      if (result.code === 'OUTCOME_UNKNOWN') return;
      if (stored !== undefined && this.#refusals.get(commandId) === result.code) return;
      if (stored !== undefined) say(`answered ${result.code}, and is in the log at ${stored}`);
      else if (!NOT_STORED.has(result.code) && !this.#wasTrue(call, { refused: result.code }))
        say(`answered ${result.code}, which was true at no revision from ${call.from} to ${ended.to}`);
      return;
    }
    if (result.revision > ended.to) say(`answered with revision ${result.revision}, which the log has not reached`);
    if (stored !== undefined) {
      if (stored !== result.revision) say(`answered with revision ${result.revision}, and is in the log at ${stored}`);
      if (!same(this.#answers.get(commandId), result.answer))
        say(`answered ${JSON.stringify(result.answer)}, and came to ${JSON.stringify(this.#answers.get(commandId))}`);
      return;
    }
    if (result.revision < call.from) say(`answered as of ${result.revision}, before ${call.from}`);
    if (!this.#wasTrue({ ...call, from: result.revision }, result, result.revision))
      say(`answered ${JSON.stringify(result.answer)} as of ${result.revision}, which is not so, and is not in the log`);
  }

  /** Whether the command could have had this outcome without an event, at some revision between its request and its answer. */
  #wasTrue(
    { ask, from, ended, machineFrom }: Call,
    result: { readonly refused: string } | { readonly answer: Answer },
    to = ended?.to ?? -1,
  ): boolean {
    for (let revision = from; revision <= to; revision += 1) {
      const state = this.#states[revision];
      if (!state) continue;
      const recordedAt = this.#times[revision] ?? 0;
      // A machine's clock may have been set back during the decision: the time before that counts too.
      const times = [machineFrom, ended?.machineTo ?? 0].flatMap((time) => [time, time + 60]);
      for (const time of [...times, recordedAt]) {
        const verdict = apply(state, ask, Math.max(time, recordedAt));
        if (
          'refused' in verdict
            ? 'refused' in result && verdict.refused === result.refused && verdict.state === undefined
            : 'answer' in result && !verdict.changed && same(verdict.answer, result.answer)
        )
          return true;
      }
    }
    return false;
  }

  checkLook({ key, node, from, to, wallet }: Look): void {
    for (let revision = from; revision <= to; revision += 1) {
      const state = this.#states[revision];
      if (state && sameWallet(walletOf(state, key), wallet)) return;
    }
    this.#say(`${node} read ${key} as ${JSON.stringify(wallet)}, which it was at no revision from ${from} to ${to}`);
  }

  #say(what: string): void {
    this.#wrong.push(what);
  }
}

export function sameWallet(a: Wallet, b: Wallet): boolean {
  return a.gold === b.gold && a.mark === b.mark && a.version === b.version && a.exists === b.exists && a.updatedAt === b.updatedAt;
}

function same(a: Answer | undefined, b: Answer): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function name(commandId: string, ask: Ask): string {
  return `${commandId.slice(0, 8)} ${JSON.stringify(ask)}`;
}

function metadataOf(event: RecordedEvent | undefined): { readonly commandId: string; readonly recordedAt: number; readonly seal: string } {
  return JSON.parse(event?.metadata ?? '{}');
}
