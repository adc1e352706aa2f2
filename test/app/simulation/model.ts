import { type Answer, type Ask, isStaff, requestOf } from './commands.ts';

/** The rules of the simulated game, written a second time as plainly as possible. The oracle goes by them. */

export interface Wallet {
  readonly gold: number;
  readonly mark: number;
  readonly version: number;
  readonly exists: boolean;
  readonly updatedAt: number;
}

interface Window {
  readonly start: number;
  readonly used: number;
}

export interface State {
  readonly locked: boolean;
  readonly limit: number;
  readonly wallets: ReadonlyMap<string, Wallet>;
  readonly windows: ReadonlyMap<string, Window>;
  readonly once: ReadonlyMap<string, { readonly mark: number; readonly at: number }>;
  /** Transfers by idempotency key: what was asked for, and the outcome. */
  readonly transfers: ReadonlyMap<string, { readonly request: string; readonly came: Came }>;
}

type Came = { readonly answer: Answer } | { readonly refused: string };

export type Verdict =
  /** `state`: the state after it, if it leaves an event in the log. */
  | { readonly refused: string; readonly state?: State }
  /** `changed`: whether it leaves an event in the log. */
  | { readonly answer: Answer; readonly state: State; readonly changed: boolean };

const MINUTE = 60_000;
const NOBODY: Wallet = { gold: 0, mark: 0, version: 0, exists: false, updatedAt: 0 };

export function walletOf(state: State, key: string): Wallet {
  return state.wallets.get(key) ?? NOBODY;
}

/** The outcome of a command on `state` at `at` (unix ms). */
export function apply(state: State, ask: Ask, at: number): Verdict {
  if (state.locked && !isStaff(ask)) return { refused: 'KEY_DISABLED' };
  const same = (answer: Answer): Verdict => ({ answer, state, changed: false });
  switch (ask.kind) {
    case 'inc': {
      const next = earn(state, ask.key, ask.amount, at);
      return next ? { answer: walletOf(next, ask.key).version, state: next, changed: true } : { refused: 'RATE_LIMIT' };
    }
    case 'transfer':
      return ask.once === null ? transfer(state, ask, at) : transferOnce(state, ask, ask.once, at);
    case 'save': {
      const wallet = walletOf(state, ask.key);
      if (ask.version !== (wallet.exists ? wallet.version : 0)) return { refused: 'STALE_SAVE' };
      const next = withWallet(state, ask.key, { ...wallet, mark: ask.mark, version: wallet.version + 1, exists: true, updatedAt: at });
      return { answer: wallet.version + 1, state: next, changed: true };
    }
    case 'delete': {
      const wallet = walletOf(state, ask.key);
      if (!wallet.exists) return same(null);
      const gone = { gold: 0, mark: 0, version: wallet.version, exists: false, updatedAt: at };
      return { answer: null, state: withWallet(state, ask.key, gone), changed: true };
    }
    case 'look':
      return same(ask.keys.flatMap((key) => [walletOf(state, key).gold, walletOf(state, key).version]));
    case 'append': {
      const known = ask.once === null ? undefined : state.once.get(ask.once);
      if (known) return known.mark === ask.mark ? same(known.at) : { refused: 'IDEMPOTENCY_KEY_REUSED' };
      const once = ask.once === null ? state.once : new Map(state.once).set(ask.once, { mark: ask.mark, at });
      return { answer: at, state: { ...state, once }, changed: true };
    }
    case 'limit':
      return ask.limit === state.limit ? same(null) : { answer: null, state: { ...state, limit: ask.limit }, changed: true };
    case 'lock':
      return ask.locked === state.locked ? same(null) : { answer: null, state: { ...state, locked: ask.locked }, changed: true };
  }
}

type Transfer = Ask & { readonly kind: 'transfer' };

function transfer(state: State, ask: Transfer, at: number): Verdict {
  if (walletOf(state, ask.from).gold < ask.amount) return { refused: 'TOO_POOR' };
  const paid = earn(state, ask.from, -ask.amount, at);
  const next = paid && earn(paid, ask.to, ask.amount, at);
  if (!next) return { refused: 'RATE_LIMIT' };
  return { answer: [walletOf(next, ask.from).version, walletOf(next, ask.to).version], state: next, changed: true };
}

/** A request with a key happens once, and has the same outcome whenever it is sent again, even a refusal. */
function transferOnce(state: State, ask: Transfer, key: string, at: number): Verdict {
  const request = requestOf(ask);
  const known = state.transfers.get(key);
  if (known && known.request !== request) return { refused: 'IDEMPOTENCY_KEY_REUSED' };
  if (known) return 'refused' in known.came ? known.came : { ...known.came, state, changed: false };
  const verdict = transfer(state, ask, at);
  const came = 'refused' in verdict ? { refused: verdict.refused } : { answer: verdict.answer };
  const next = { ...(verdict.state ?? state), transfers: new Map(state.transfers).set(key, { request, came }) };
  return 'refused' in verdict ? { refused: verdict.refused, state: next } : { answer: verdict.answer, state: next, changed: true };
}

/** `null` if that is more than the minute allows. Paying does not count. */
function earn(state: State, key: string, amount: number, at: number): State | null {
  const wallet = walletOf(state, key);
  const paid = withWallet(state, key, { ...wallet, gold: wallet.gold + amount, version: wallet.version + 1, exists: true, updatedAt: at });
  if (amount <= 0) return paid;
  const start = at - (at % MINUTE);
  const known = state.windows.get(key);
  const window = known && known.start >= start ? known : { start, used: 0 };
  const used = window.used + amount;
  if (used > state.limit) return null;
  return { ...paid, windows: new Map(state.windows).set(key, { start: window.start, used }) };
}

function withWallet(state: State, key: string, wallet: Wallet): State {
  return { ...state, wallets: new Map(state.wallets).set(key, wallet) };
}
