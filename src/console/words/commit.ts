import { isOnlyAnswered, ONLY_ANSWERED } from '../../contract/told-as-one.ts';
import { kindNamed } from './definition.ts';
import { isRevision } from './time.ts';
import { capital, cut, saidValue } from './value.ts';

/** A commit as a sentence. */

export interface CommitSaid {
  readonly cause: string;
  readonly actor: {
    readonly kind: string;
    readonly keyId?: string;
    readonly person?: string;
    readonly label?: string;
    readonly player?: string;
    readonly endpoint?: string;
  };
  readonly events: readonly string[];
  readonly why?: { readonly reason: string; readonly ticket?: string; readonly button?: string; readonly undone?: number };
  readonly documents: readonly TouchedDocument[];
  /** By what it is undone now; left out: it is not. */
  readonly undone?: Undoing;
  /** What it changed of the project itself. */
  readonly managed?: readonly Managed[];
}

export interface Managed {
  readonly what: 'settings' | 'key' | 'page' | 'alarm';
  readonly change: 'made' | 'changed' | 'removed';
  readonly id?: string;
  readonly called?: string;
  readonly fields?: readonly ChangedField[];
  readonly more?: number;
}

export interface Undoing {
  /** Of the commit that undid it. */
  readonly revision: number;
  readonly at: string;
  readonly actor: CommitSaid['actor'];
}

interface TouchedDocument {
  readonly collection: string;
  readonly key: string;
  readonly change: string;
  readonly fields?: readonly ChangedField[];
  readonly more?: number;
}

/** `null`: there was, or is, none. Left out: it is long, or not known. */
export interface ChangedField {
  readonly path: string;
  readonly before?: unknown;
  readonly value?: unknown;
}

/** Who did it: a person by the name, a player by the id, a key by its label, which says that it is one. */
export function whoOf({ actor }: Pick<CommitSaid, 'actor'>): string {
  if (actor.kind === 'person') return actor.label ?? actor.person ?? 'Somebody';
  if (actor.kind === 'operator') return actor.label ?? 'The operator';
  const key = actor.label === undefined ? actor.keyId : `key “${actor.label}”`;
  if (actor.kind === 'public' || actor.label === undefined) return actor.player ?? key ?? 'Somebody';
  return key ?? 'Somebody';
}

/** Whoever sent it: the person, or the key, also where it names a player. */
export function doerOf({ actor }: Pick<CommitSaid, 'actor'>): string {
  const { keyId, label = keyId } = actor;
  return keyId === undefined ? whoOf({ actor }) : `the key “${label}”`;
}

const DEEDS: Readonly<Record<string, string>> = {
  'document.write': 'wrote',
  'document.delete': 'deleted',
  'document.correct': 'corrected',
  'record.append': 'appended to',
  'record.create': 'made a save slot',
  'record.rename': 'renamed a save slot',
  'record.delete': 'deleted a save slot',
  'player.restore': 'restored what a player had',
  'commit.undo': 'undid a commit',
  'grant.give': 'granted',
  'grant.take': 'took a grant back',
  'grant.begin': 'began a grant to many players',
  'grant.list': 'named who gets a grant',
  'grant.stop': 'stopped a grant',
  'grant.resume': 'went on with a grant',
  'grant.undo': 'began to take a grant back',
  'grant.end': 'ended a grant',
  'documents.purge': 'deleted documents of a collection',
  'project.import': 'imported',
  'project.create': 'made the project',
  'session.create': 'began a session',
  'session.refresh': 'went on with a session',
  'session.revoke': 'ended a session',
  'guest.register': 'came as a guest',
  'guest.join': 'came on another device',
  'guest.link': 'linked an account',
  'guest.unlink': 'unlinked an account',
  'guest.revoke': 'shut a device out',
  'support.revoke': 'shut a device of a player out',
  'support.unlink': 'unlinked an account of a player',
  'support.issueCode': 'made a recovery code of a player',
  'guest.issueCode': 'made a recovery code',
  'key.create': 'made a key',
  'key.change': 'changed a key',
  'key.revoke': 'revoked a key',
  'page.save': 'saved a page',
  'page.remove': 'removed a page',
  'settings.change': 'changed settings',
  'quotas.change': 'changed quotas',
  'package.sync': 'told which package of the game is out',
  'publish.await': 'told every server that something is published',
  'access.sweep': 'forgot sessions that were over',
  'answers.sweep': 'forgot answers that were kept long enough',
  'alarm.raise': 'raised an alarm',
  'definitions.promote': 'made what was staged live',
  'approval.ask': 'asked for a second person’s approval',
  'approval.give': 'approved what was asked for',
  'approval.decline': 'declined what was asked for',
  'approval.withdraw': 'withdrew what was asked for',
  'approval.comment': 'said something about what was asked for',
  'promotion.schedule': 'scheduled a promotion',
  'promotion.unschedule': 'took a scheduled promotion back',
  'promotion.run': 'had what was staged promoted at its time',
  'promotion.miss': 'missed a scheduled promotion',
  'definitions.rollback': 'rolled back live',
  'definitions.discard': 'took back what was staged',
  'definitions.sync': 'pushed definitions',
  'tests.put': 'saved tests',
};

/** Deeds that the name of what they touched follows. */
const OF_DOCUMENTS = ['wrote', 'deleted', 'corrected', 'appended to'];

/** What they did, after `whoOf`. */
export function deedOf(commit: CommitSaid): string {
  const done = doneBy(commit);
  // Of a press it is told already that it was refused.
  return isOnlyAnswered(commit) && commit.cause !== 'button.press' ? `${done} (${ONLY_ANSWERED})` : done;
}

function doneBy(commit: CommitSaid): string {
  const { cause, actor, documents, events } = commit;
  // Of a press that the game refused, the answer alone is kept.
  if (cause === 'button.press' && !events.includes('button.pressed')) return `tried ${actor.endpoint ?? 'a button'}, which was refused`;
  if (cause === 'button.press') return `pressed “${commit.why?.button ?? actor.endpoint ?? 'a button'}”`;
  if (cause === 'commit.undo' && commit.why?.undone !== undefined) return `undid commit ${commit.why.undone}`;
  if (cause === 'endpoint.call') return `called ${actor.endpoint ?? 'an endpoint'}`;
  const deed = DEEDS[cause];
  const [first] = documents;
  const what =
    first === undefined ? '' : ` ${first.collection}/${first.key}${documents.length > 1 ? ` and ${documents.length - 1} more` : ''}`;
  if (deed !== undefined) return OF_DOCUMENTS.includes(deed) ? `${deed}${what}` : deed;
  const [kind = '', act = ''] = cause.split('.');
  const many = kindNamed(kind)?.many.toLowerCase();
  if (many !== undefined) return `${act === 'delete' ? 'removed' : 'changed'} ${many}`;
  return cause;
}

/** Whether it is about what is to go live, which the page Publishes shows. */
export function isOfPublishes({ cause }: Pick<CommitSaid, 'cause'>): boolean {
  return cause.startsWith('approval.') || cause.startsWith('promotion.');
}

/** What the player did whose page it is: a row need not say who. `null`: somebody else did it. */
export function ownDeed(commit: CommitSaid, about: string | undefined): string | null {
  return about === undefined || whoOf(commit) !== about ? null : capital(deedOf(commit));
}

/** Fields that a row tells of all documents together. */
const FIELDS = 10;

interface CommitOfFields extends CommitSaid {
  readonly players: readonly string[];
  readonly money: readonly Moved[];
}

/**
 * What fields of documents were and became, in a row. Money is told by how much it moved. A document is named where the row does not say
 * whose it is. `about`: the player whose page it is.
 */
export function fieldsSaid(commit: CommitOfFields, about?: string): readonly FieldSaid[] {
  const { documents, money, players } = commit;
  const named = about ?? whoOf(commit);
  const deed = deedOf(commit);
  const told = documents.map((document, place) => {
    const of = `${document.collection}/${document.key}`;
    const isMoney = ({ path }: ChangedField) => money.some((each) => each.field === path && `${each.collection}/${each.key}` === of);
    const isNamed = ownerIn([named], document.key) !== undefined || (place === 0 && deed.includes(of));
    const said = documentFieldsSaid(document, isNamed ? [named, ...players] : []);
    const left = said.filter(({ field }) => field === undefined || !isMoney(field));
    return { isNamed, left: isNamed ? left : left.map((each, line) => (line === 0 ? { ...each, isNamed: true as const } : each)) };
  });
  // A document is named once, before the first of its fields, so what needs no name stands before all that do.
  const all = [...told.filter(({ isNamed }) => isNamed), ...told.filter(({ isNamed }) => !isNamed)].flatMap(({ left }) => left);
  const more = all.length - FIELDS;
  return more > 0 ? [...all.slice(0, FIELDS), { of: '', path: `and ${more} more`, text: '' }] : all;
}

/** The same of one document. `owners`: players whose slot it may be. */
export function documentFieldsSaid(
  { collection, key, fields = [], more = 0 }: TouchedDocument,
  owners: readonly string[] = [],
): readonly FieldSaid[] {
  const of = `${collection}/${key}`;
  const owner = ownerIn(owners, key) ?? key;
  const slot = key === owner ? '' : `slot ${key.slice(owner.length + 1)}: `;
  const said = fields.map((field) => ({ of, field, path: `${slot}${field.path}`, text: becameText(field) }));
  return more === 0 ? said : [...said, { of, path: `and ${more} more`, text: '' }];
}

/** What a field became, beside what it was, where that is known. */
export function becameText(field: ChangedField): string {
  if (!('value' in field)) return 'changed';
  const value = field.value === null ? 'not set' : cut(saidValue(field.value));
  return field.before == null ? `is ${value}` : `${cut(saidValue(field.before))} → ${value}`;
}

/** Settings that have plainer words than their names. */
const SETTINGS: Readonly<Record<string, string>> = {
  approvals: 'second person (approvals)',
  economyAlarms: 'alarms (economyAlarms)',
  enabled: 'open to games (enabled)',
  name: 'name of the project',
};

/** What a commit changed of settings, or of what a key may do. */
export function managedSaid({ what, fields = [], more = 0 }: Managed): readonly Omit<FieldSaid, 'of'>[] {
  const named = (path: string) => (what === 'settings' ? (SETTINGS[path] ?? path) : path.replace(/^permissions\./, 'may '));
  const said = fields.map((field) => ({ path: named(field.path), text: settingText(field) }));
  return more === 0 ? said : [...said, { path: `and ${more} more`, text: '' }];
}

/** As a field of a document; lists of objects, such as alarms, by what stands in them. */
function settingText({ before, value }: ChangedField): string {
  if (value === undefined) return 'changed';
  const [was, is] = [before, value].map((each) => (each == null ? null : cut(listedValue(each))));
  return was == null ? (is ?? 'not set') : `${was} → ${is ?? 'not set'}`;
}

function listedValue(value: unknown): string {
  return Array.isArray(value) && value.length > 0 ? value.map(saidValue).join('; ') : saidValue(value);
}

interface Moved {
  readonly collection: string;
  readonly key: string;
  readonly field: string;
}

export interface FieldSaid {
  /** The document. */
  readonly of: string;
  /** The row does not say otherwise whose it is, and those that follow, until another is named. */
  readonly isNamed?: true;
  /** Left out: it says how many more there are. */
  readonly field?: ChangedField;
  readonly path: string;
  readonly text: string;
}

/** By what a commit was undone at a moment, as it stands in addresses; `moment` left out: now. */
export function undoneAt<By extends Pick<Undoing, 'revision' | 'at'>>(undone: By | undefined, moment: string | undefined): By | undefined {
  if (undone === undefined || moment === undefined) return undone;
  const isLater = isRevision(moment) ? undone.revision > Number(moment) : Date.parse(undone.at) > Date.parse(moment);
  return isLater ? undefined : undone;
}

/** Whose a document is, among the players whom a commit names; `undefined`: it is shared. */
export function ownerIn(players: readonly string[], key: string): string | undefined {
  return players.find((player) => key === player || key.startsWith(`${player}_`));
}

/** Whether a restore can bring back what the player had in live before this commit. */
export function isRestorable({ first, documents }: PlacedCommit, player: string): boolean {
  return first > 0 && documents.some(({ space, key }) => space === 'live' && ownerIn([player], key) !== undefined);
}

export interface PlacedCommit {
  readonly first: number;
  readonly documents: readonly { readonly space: string; readonly key: string }[];
}

/** Causes of what puts right what players have. */
export const CORRECTIONS: readonly string[] = ['document.correct', 'player.restore', 'commit.undo', 'grant.give', 'grant.take'];

/** Causes, as far as their dot, of what changes the game, or is about what is to go live. */
export const PUBLISHES: readonly string[] = [
  ...['definitions', 'collection', 'endpoint.put', 'endpoint.delete', 'workflow', 'library', 'query', 'game-values', 'rate-limit-rules'],
  ...['approval', 'promotion', 'package'],
];

/** Whether an owner made something live that nobody else had approved, where the project asks for that. */
export function isPastApproval({ events }: Pick<CommitSaid, 'events'>): boolean {
  return events.includes('approval.bypassed');
}

/** Whether it puts right what players have. */
export function isCorrection({ cause }: Pick<CommitSaid, 'cause'>): boolean {
  return CORRECTIONS.includes(cause);
}

/** How much came since a list was read; `null`: nothing. `most`: so many are counted. `what`: one of its rows. */
export function newText(newer: number, most: number, what = 'commit'): string | null {
  if (newer === 0) return null;
  if (newer >= most) return `${most} or more new ${what}s.`;
  return newer === 1 ? `1 new ${what}.` : `${newer} new ${what}s.`;
}
