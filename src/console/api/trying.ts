import { refusalSaid } from '../words/calls.ts';
import type { WorkedOn } from '../words/pretending.ts';
import { Refused } from '../words/refusal.ts';
import { type HowRefused, tellingOf } from '../words/trying.ts';
import type { Members } from '../words/value.ts';
import * as api from './generated.ts';
import { answerOf } from './http.ts';
import type { View } from './view.ts';

/** Dry runs of endpoints: nothing of them is stored. */

export type TestReport = api.TestReport;

export interface DryRunAsked {
  readonly slug: string;
  /** Whose call it is; empty: nobody's. */
  readonly player: string;
  /** As a game server, with the secret key. */
  readonly asServer: boolean;
  readonly input: Readonly<Record<string, unknown>>;
  /** A document that stands in place of the player's for this run; left out: what is stored. */
  readonly instead?: { readonly collection: string; readonly document: Readonly<Record<string, unknown>> } | undefined;
}

/** What an endpoint would answer, and of next what live answers to the same; `null`: live has no such endpoint. */
export interface Tried {
  readonly report: TestReport;
  readonly live?: TestReport | null;
}

/** Tries an endpoint where the page looks; of next, in live, too. */
export async function tryEndpoint(view: View, asked: DryRunAsked): Promise<Tried> {
  if (view.target === 'live') return { report: await runDry(view, asked) };
  const ofLive = runDry({ ...view, target: 'live' }, asked).catch((error: unknown) => {
    if (error instanceof Refused && error.refusal.status === 404) return null;
    throw error;
  });
  const [report, live] = await Promise.all([runDry(view, asked), ofLive]);
  return { report, live };
}

/** Runs an endpoint on what is stored; nothing of it is stored. */
function runDry({ project, target }: View, { slug, player, asServer, input, instead }: DryRunAsked) {
  const id = player.trim();
  const as = id === '' ? {} : { platformId: id };
  const seed = instead === undefined ? {} : { seed: { collections: { [instead.collection]: { [id]: instead.document } } } };
  const jsonObject = { slug, input, asServer, ...as, ...seed, expect: { outcome: 'any' } };
  return answerOf(api.testEndpoint({ project, xNsPublishTarget: target, jsonObject }));
}

/** What some players have of these fields, by player; nothing where that may not be read. */
export async function haveOf({ project, target }: View, { collection, fields }: WorkedOn): Promise<ReadonlyMap<string, Members>> {
  if (fields.length === 0) return new Map();
  const asked = { project, collection, columns: fields.slice(0, MOST_FIELDS).join(','), xNsPublishTarget: target };
  const read = await answerOf(api.listDocuments(asked)).catch(() => ({ documents: [] }));
  return new Map(read.documents.map(({ key, cells }) => [key, cells]));
}

/** Fields that are looked at to tell players apart. */
const MOST_FIELDS = 8;

/** Players who are tried in turn. */
const MOST_TRIED = 12;

export interface Searched {
  /** By whom it was tried, in turn, and how each was refused. */
  readonly refused: readonly (HowRefused & { readonly player: string })[];
  /** For whom it went through on next, and came to what it comes to on live. */
  readonly same: readonly string[];
  readonly found: { readonly player: string; readonly tried: Tried } | null;
}

/**
 * Tries an endpoint as one player after another until it goes through for one; on next until that is not the same as on live. Where it
 * does for nobody, the first is found of those whose run tells most.
 */
export async function tryInTurn(view: View, asked: Omit<DryRunAsked, 'player' | 'instead'>, players: readonly string[]): Promise<Searched> {
  const refused: Searched['refused'][number][] = [];
  const same: string[] = [];
  let found: Searched['found'] = null;
  let most = 0;
  for (const player of players.slice(0, MOST_TRIED)) {
    const tried = await tryEndpoint(view, { ...asked, player });
    const refusal = refusalSaid(tried.report);
    const telling = tellingOf(tried.report, tried.live);
    if (telling > most) found = { player, tried };
    most = Math.max(most, telling);
    if (refusal !== null) refused.push({ player, ...refusal });
    else if (telling === 1) same.push(player);
    else break;
  }
  return { refused, same, found };
}
