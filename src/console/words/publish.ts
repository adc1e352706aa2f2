import { type ActorSaid, whoActed } from './approval.ts';
import { cut, fewSaid, saidValue, valueText } from './value.ts';

/** What is published, in words. */

const KINDS: Readonly<Record<string, string>> = {
  collection: 'Collection',
  endpoint: 'Endpoint',
  workflow: 'Workflow',
  library: 'Library',
  query: 'Query',
  'game-values': 'Game values',
  'rate-limit-rules': 'Rate limits',
  tests: 'Tests',
};
const ACTIONS: Readonly<Record<string, string>> = { add: 'is new', change: 'changes', delete: 'is removed', discard: 'is taken back' };
const ACTED: Readonly<Record<string, string>> = { add: 'new', change: 'changed', delete: 'removed', discard: 'taken back' };
const DEEDS: Readonly<Record<string, string>> = {
  publish: 'put a change into',
  promote: 'made what was staged',
  rollback: 'rolled back',
  renew: 'began anew the data of',
};

/** The kind of a definition with its id; of kinds that there is one of, the kind alone. */
export function definitionName({ kind, id }: { readonly kind: string; readonly id: string }): string {
  const name = KINDS[kind] ?? kind;
  return id === '*' || id === kind ? name : `${name} ${id}`;
}

/** Kinds whose name is of many. */
const MANY: ReadonlySet<string> = new Set(['game-values', 'rate-limit-rules', 'tests']);

/** What becomes of it, after its name. */
export function becomes(action: string, kind = ''): string {
  const said = ACTIONS[action] ?? action;
  return MANY.has(kind) ? said.replace(/^is /, 'are ').replace(/^changes$/, 'change') : said;
}

function became(action: string): string {
  return ACTED[action] ?? action;
}

/** A value that comes or goes: of a group of game values what it holds, of a table how long it is, of anything else the value. */
export function heldText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return valueText(value);
  if (Array.isArray(value)) return saidValue(value);
  if ('entries' in value) return saidValue(value.entries);
  if ('rows' in value && Array.isArray(value.rows)) return `a table of ${value.rows.length} ${value.rows.length === 1 ? 'row' : 'rows'}`;
  return saidValue(value);
}

/** What was done, before the word for live or next. */
export function publishDeed(action: string, cause?: string): string {
  return cause === 'definitions.discard' ? 'took back what was staged in' : (DEEDS[action] ?? action);
}

/** A publish that a roll back undoes. */
export interface Undone {
  readonly revision: number;
  readonly message?: string | undefined;
}

function undoneName({ revision, message }: Undone): string {
  return message === undefined ? `publish ${revision}` : `“${cut(message, 60)}”`;
}

/** The heading of a roll back that a second person is asked about. `undone`: the one publish that is undone; else live is as after `to`. */
export function rollbackAsked(to: number, undone?: Undone): string {
  return undone === undefined ? `Asked for: roll back to publish ${to}` : `Asked for: undo of ${undoneName(undone)}`;
}

/**
 * What a roll back does, as a question and what it means. `when`: when that publish was; `undone`: the one publish that is undone; else
 * live is as after `to`.
 */
export function rollbackSaid(
  to: number,
  { when, undone }: { readonly when?: string | undefined; readonly undone?: Undone | undefined } = {},
) {
  const goal = undone !== undefined ? 'before' : when === undefined ? `after publish ${to}` : `after publish ${to} (${when})`;
  const sub = `Live becomes what it was ${goal}.`;
  if (undone === undefined) return { title: `Roll back to publish ${to}?`, sub };
  return { title: `Undo ${undoneName(undone)}?`, sub };
}

/** A publish among others of the history, newest first. */
interface Listed {
  readonly revision: number;
  readonly at: string;
  readonly target: string;
  readonly restored?: number;
  readonly undoneBy?: number;
  readonly changes: readonly { readonly kind: string }[];
}

/** How a publish stands to what is live now. */
export interface Standing<Publish> {
  readonly publish: Publish;
  /** The roll back by which live shows it no more, or shows it again; `null`: it is not known to be either. */
  readonly undone: number | null;
  readonly again: number | null;
  /** Of a roll back, the one publish that it undid; `null`: there were more, or it is not known. */
  readonly undid: number | null;
  /** The roll back that undoes it; `null`: it is not the newest, or there is nothing before it. */
  readonly undo: { readonly to: number; readonly at: string; readonly undone: Publish } | null;
}

/** The history, in which the newest publish alone is undone. `until`: what was undone later stood then. */
export function standings<Publish extends Listed>(
  publishes: readonly Publish[],
  until = Number.MAX_SAFE_INTEGER,
): readonly Standing<Publish>[] {
  const live = publishes.filter(changedLive);
  const [newest, earlier] = live;
  const undid = new Map(live.map(({ revision, restored }, place) => [revision, undoneAlone(restored, live[place + 1], live[place + 2])]));
  const again = newest?.restored ?? null;
  return publishes.map((publish) => {
    const { revision, undoneBy = null } = publish;
    return {
      publish,
      undone: undoneBy !== null && undoneBy <= until ? undoneBy : null,
      again: newest !== undefined && revision === again ? newest.revision : null,
      undid: undid.get(revision) ?? null,
      undo: publish === newest && earlier !== undefined ? { to: shownAfter(earlier), at: earlier.at, undone: publish } : null,
    };
  });
}

/** The publish before a roll back, where the roll back led to what the one before it had made. */
function undoneAlone(restored: number | undefined, before?: Listed, earlier?: Listed): number | null {
  return before !== undefined && earlier !== undefined && shownAfter(earlier) === restored ? before.revision : null;
}

/** The revision whose live is shown after a publish: of a roll back, that to which it led. So it is what an approval names, too. */
export function shownAfter({ revision, restored }: Pick<Listed, 'revision' | 'restored'>): number {
  return restored ?? revision;
}

/** Whether live may be rolled back to what it made: saved tests are no part of live. */
export function changedLive({ target, changes }: Pick<Listed, 'target' | 'changes'>): boolean {
  return target === 'live' && changes.some(({ kind }) => kind !== 'tests');
}

interface Agreed extends Pick<Listed, 'target' | 'changes'> {
  readonly actor: ActorSaid;
  readonly approval?: { readonly id: string };
}

/** The publish that an approval led to, while live is that, and the person has published nothing since. `publishes`: newest first. */
export function publishOf<Publish extends Agreed>(publishes: readonly Publish[], approval: string, person: string): Publish | null {
  for (const publish of publishes) {
    if (publish.approval?.id === approval) return publish;
    if (publish.actor.person === person || changedLive(publish)) return null;
  }
  return null;
}

/** Whether anything was staged since an approval led to a publish. `publishes`: newest first. */
export function isStagedSince(publishes: readonly Agreed[], approval: string): boolean {
  const place = publishes.findIndex((publish) => publish.approval?.id === approval);
  return publishes.slice(0, Math.max(0, place)).some(({ target }) => target === 'next');
}

/** Who has changed what is live since it was this; `null`: nobody, or it is not known yet that it was this. `publishes`: newest first. */
export function changedSince(publishes: readonly (Agreed & { readonly hash: string })[], hash: string): string | null {
  const live = publishes.filter(changedLive);
  const [newest] = live;
  return newest === undefined || newest.hash === hash || !live.some((each) => each.hash === hash) ? null : whoActed(newest.actor);
}

/** What changes for players, in a sentence: the first few, and how many more. */
export function changesSaid(changes: readonly Omit<ChangeSaid, 'hash'>[]): string {
  const ofPlayers = changes.filter(({ kind }) => kind !== 'tests');
  const lines = ofPlayers.flatMap(linesOf);
  const untold = ofPlayers.reduce((sum, { more = 0 }) => sum + more, 0);
  return lines.length === 0 ? 'nothing for players' : fewSaid(lines, untold);
}

/** Whether {@link changesSaid} tells all that a list of these changes would: it is one. */
export function isSaidWhole(changes: readonly (Omit<ChangeSaid, 'hash'> & { readonly opens?: readonly string[] })[]): boolean {
  const [change, ...others] = changes;
  if (change === undefined || others.length > 0 || change.kind === 'tests') return false;
  const { action, fields = [], more = 0, opens = [] } = change;
  if (opens.length > 0 || more > 0) return false;
  if (action === 'delete' || fields.length === 0) return true;
  return action === 'change' && fields.length === 1 && fields.every(({ before, after }) => [before, after].every(isShort));
}

/** Of game values the fields alone, which say whose they are. */
function linesOf(change: Omit<ChangeSaid, 'hash'>): readonly string[] {
  const { kind, action = '', fields = [] } = change;
  const name = definitionName(change);
  if (action !== 'change' || fields.length === 0) return [`${name} ${becomes(action, kind)}`.trim()];
  return fields.map((field) => (kind === 'game-values' ? fieldSaid(field) : `${name}: ${fieldSaid(field)}`));
}

/** What became of a definition in a publish: one without a text is taken back in next, and gone in live. */
export function actionIn(target: string, { action, hash }: { readonly action?: string; readonly hash: string | null }): string | undefined {
  return target === 'next' && hash === null ? 'discard' : action;
}

export interface FieldSaid {
  readonly label: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

export interface ChangeSaid {
  readonly kind: string;
  readonly id: string;
  readonly hash: string | null;
  readonly action?: string;
  readonly fields?: readonly FieldSaid[];
  readonly more?: number;
}

/** Fields that stand in a line, and characters of their values. */
const IN_LINE = 2;
const IN_LINE_LENGTH = 40;

/** Whether {@link changeSaid} tells all of a change. */
export function isToldInLine({ fields = [], more = 0 }: ChangeSaid): boolean {
  return fields.length <= IN_LINE && more === 0;
}

/** A change of a publish in a line: by its fields, where they are few. */
export function changeSaid(target: string, change: ChangeSaid): string {
  const { fields = [] } = change;
  const action = actionIn(target, change);
  if (action !== 'change' || fields.length === 0 || !isToldInLine(change))
    return `${definitionName(change)} ${became(action ?? '')}`.trim();
  return `${definitionName(change)}: ${fields.map(fieldSaid).join(', ')}`;
}

function isShort(value: unknown): boolean {
  return heldText(value).length <= IN_LINE_LENGTH;
}

/** `axe › price 7 → 9` */
export function fieldSaid({ label, before, after }: FieldSaid): string {
  const text = (value: unknown) => cut(heldText(value), IN_LINE_LENGTH);
  if (before === undefined) return `${label} ${newSaid(text(after))}`.trimStart();
  return `${label || 'all of it'} ${after === undefined ? 'removed' : `${text(before)} → ${text(after)}`}`;
}

/** That it is new, and its value; of many the number alone, which stands in brackets. */
function newSaid(text: string): string {
  return text.startsWith('(') ? `new ${text}` : `new: ${text}`;
}

/** A reason that somebody gave. */
export interface Said {
  readonly by: ActorSaid;
  /** Empty where a ticket alone was named. */
  readonly text: string;
  readonly ticket?: string | undefined;
}

interface PublishSaid {
  readonly action: string;
  readonly target: string;
  readonly message?: string | undefined;
  readonly ticket?: string | undefined;
  readonly actor: ActorSaid;
  readonly changes: readonly { readonly kind: string; readonly id: string; readonly hash: string | null }[];
}

/**
 * Why what is staged was staged: each reason once, oldest first. `publishes`: newest first. What was taken back since, and what was live
 * before, does not count.
 */
export function saidOfStaged(
  staged: readonly { readonly kind: string; readonly id: string }[],
  publishes: readonly PublishSaid[],
): readonly Said[] {
  const open = new Set(staged.map(definitionName));
  const said: Said[] = [];
  for (const { action, target, message: text = '', ticket, actor, changes } of publishes) {
    if (action === 'promote') break;
    if (target !== 'next') continue;
    const own = changes.filter((change) => open.has(definitionName(change)));
    for (const change of own) if (change.hash === null) open.delete(definitionName(change));
    const isSaid = text !== '' || ticket !== undefined;
    const isKnown = said.some((each) => each.text === text && each.ticket === ticket);
    if (isSaid && !isKnown && own.some(({ hash }) => hash !== null)) said.push({ by: actor, text, ticket });
  }
  return said.toReversed();
}

/** Most characters of a reason. */
export const MAX_REASON = 500;

/** Most characters of a ticket. */
export const MAX_TICKET = 128;

/** Reasons as one, and their tickets: the newest of them where there is no room for all. */
export function reasonOf(said: readonly Said[]): { readonly reason: string; readonly ticket: string } {
  return {
    reason: newestOf(
      said.map(({ text }) => text),
      '; ',
      MAX_REASON,
    ),
    ticket: newestOf(
      said.map(({ ticket = '' }) => ticket),
      ', ',
      MAX_TICKET,
    ),
  };
}

function newestOf(texts: readonly string[], between: string, most: number): string {
  let whole = '';
  for (const text of [...new Set(texts)].filter((each) => each !== '').toReversed()) {
    const longer = whole === '' ? text : `${text}${between}${whole}`;
    if (longer.length > most) break;
    whole = longer;
  }
  return whole;
}

/** Whose words a reason is that the page offers. `when`: when they were said. `person`: who reads it. */
export function offeredHint(said: readonly Said[], when: string, person: string): string {
  const others = [...new Set(said.filter(({ by }) => by.person !== person).map(({ by }) => whoActed(by)))];
  const you = said.some(({ by }) => by.person === person) ? ['you'] : [];
  return `As ${[...you, ...others].join(' and ')} said when it was ${when}`;
}
