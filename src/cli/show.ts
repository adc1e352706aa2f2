import type { Change } from '../folder/changes.ts';
import type { Finding } from '../folder/findings.ts';
import { counted } from '../kernel/counted.ts';
import { isArray, isObject, type Json, type JsonObject, stringifyJson } from '../kernel/json.ts';
import { table } from './context.ts';
import { printableLine, styled } from './terminal.ts';

/** How commands on a game's folder show changes, findings and conflicts to people. */

/** A change, as a folder or a server describes it. */
export interface Shown extends Pick<Change, 'id' | 'more' | 'opens' | 'isFirstText'> {
  readonly kind: string;
  readonly action: string;
  /** Left out if only the definition is known. */
  readonly fields?: Change['fields'];
}

const MARKS: Readonly<Record<string, readonly [mark: string, style: 'green' | 'yellow' | 'red' | 'gray']>> = {
  add: ['+', 'green'],
  change: ['~', 'yellow'],
  delete: ['-', 'red'],
  absent: ['?', 'gray'],
};
const MAX_TEXT = 80;
/** Documents of next that a server counts at most. */
const MAX_COUNTED = 10_000;

/** One block per definition: its change, and each field that differs. */
export function shownChanges(changes: readonly Shown[]): string {
  return changes.map(shownChange).join('\n');
}

/** A mark for the change of a definition, and its name: `- endpoint buy`. */
function shownName({ kind, id, action }: Pick<Shown, 'kind' | 'id' | 'action'>): string {
  const [mark, style] = MARKS[action] ?? ['·', 'gray'];
  return styled(style, `${mark} ${id === '*' ? kind : `${kind} ${id}`}`);
}

function shownChange({ kind, id, action, fields, more = 0, opens = [], isFirstText }: Shown): string {
  const note =
    action === 'change' && fields?.length === 0
      ? styled('gray', isFirstText ? '  (the same; a push keeps the text of this file with it)' : '  (comments or layout)')
      : action === 'absent'
        ? styled('gray', '  (not in this folder)')
        : '';
  const head = `${shownName({ kind, id, action })}${note}`;
  // Only a changed definition has fields to list.
  if (action !== 'change') return head;
  const lines = (fields ?? []).map(
    ({ path, label, before, after }) => `    ${label || path}  ${sideOf(before, 'red')} → ${sideOf(after, 'green')}`,
  );
  const opened = opens.map((what) => styled('yellow', `    opens: ${what}`));
  return [head, ...lines, ...(more > 0 ? [`    … and ${more} more`] : []), ...opened].join('\n');
}

function sideOf(value: Json | undefined, style: 'red' | 'green'): string {
  if (value === undefined) return styled('gray', 'nothing');
  const text = stringifyJson(value);
  return styled(style, text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);
}

/** Each finding with its place, the line itself and a caret below the column. */
export function shownFindings(findings: readonly Finding[]): string {
  const blocks = findings.map((finding) => {
    const { path, line, column, severity, code, message, fix, id, kind } = finding;
    const position = `${path || `${kind} ${id}`}${line === null ? '' : `:${line}:${column ?? 1}`}`;
    const head = `${styled('bold', position)} ${styled(severity === 'error' ? 'red' : 'yellow', severity)} ${code}  ${message}`;
    return [head, ...caretLines(finding), ...(fix === '' ? [] : [`    ${fix}`])].join('\n');
  });
  return blocks.join('\n\n');
}

function caretLines({ line, column, text }: Finding): string[] {
  if (line === null || text === null) return [];
  const number = String(line).padStart(5);
  // Tabs stay, so that the caret stands below its column.
  const indent = text.slice(0, (column ?? 1) - 1).replace(/[^\t]/g, ' ');
  return [`${styled('gray', `${number} |`)} ${text}`, `${styled('gray', '      |')} ${indent}${styled('red', '^')}`];
}

/** What a promotion or rollback, as its dry run told, does not take over; no line if nobody played on next. */
export function shownStagedPlay(nextDocuments: number): readonly string[] {
  if (nextDocuments === 0) return [];
  const many = nextDocuments >= MAX_COUNTED ? `${nextDocuments} documents or more` : counted(nextDocuments, 'document');
  return [styled('yellow', `Played on next: ${many}. Live takes nothing of it over, and next begins anew.`)];
}

/** Results of failed tests, each with its reason. */
export function shownFailedTests(results: readonly JsonObject[]): readonly string[] {
  return results.map((each) => styled('red', `  FAILED ${testName(each)}: ${String(each['reason'] ?? '')}`));
}

/** Tests without a name are called after their endpoint, so the id comes first. */
function testName(result: JsonObject): string {
  return String(result['id'] ?? result['name'] ?? '');
}

/** `3 errors in 2 files` */
export function summaryOf(findings: readonly Finding[]): string {
  return `${counted(findings.length, 'finding')} in ${counted(new Set(findings.map(({ path }) => path)).size, 'file')}`;
}

/** A table of publishes: revision, time, who, what, and why where somebody said so; below each, the fields that it changed. */
export function shownPublishes(publishes: readonly JsonObject[]): string {
  const whys = publishes.map((each) =>
    [each['message'], each['ticket']]
      .filter((text) => text !== undefined)
      .map(String)
      .join(' · '),
  );
  const isSaid = whys.some((why) => why !== '');
  const isApproved = publishes.some((each) => each['approval'] !== undefined);
  const listed = table(
    ['REVISION', 'WHEN', 'WHO', 'WHAT', 'CHANGES', ...(isApproved ? ['APPROVED BY'] : []), ...(isSaid ? ['WHY'] : [])],
    publishes.map((each, row) => [
      String(each['revision']),
      String(each['at']),
      actorOf(each['actor']),
      `${String(each['action'])} (${String(each['target'])})${each['undoneBy'] === undefined ? '' : `, undone by ${String(each['undoneBy'])}`}`,
      changesIn(each['changes']),
      ...(isApproved ? [approverOf(each['approval'])] : []),
      ...(isSaid ? [whys[row] ?? ''] : []),
    ]),
  );
  const [header = '', ...lines] = listed.split('\n');
  return [header, ...lines.flatMap((line, row) => [line, ...changedFields(publishes[row]?.['changes'])])].join('\n');
}

/** Of a publish: its definitions, or their fields, that are listed. */
const MAX_CHANGES = 5;

/** `    game-values  Shop › sword › price  30 → 35` */
function changedFields(changes: Json | undefined): readonly string[] {
  const differing = objectsIn(changes).map((change) => ({
    name: nameOfChange(change),
    fields: objectsIn(change['fields']),
    more: change['more'],
  }));
  const lines = differing.flatMap(({ name, fields }) => fields.map((field) => `    ${name}  ${fieldText(field)}`));
  const left = lines.length - MAX_CHANGES + differing.reduce((sum, { more }) => sum + Number(more ?? 0), 0);
  return [...lines.slice(0, MAX_CHANGES), ...(left > 0 ? [`    … and ${counted(left, 'more field')}`] : [])];
}

export function fieldText({ label, path, before, after }: JsonObject): string {
  return printableLine(`${String(label || path)}  ${sideOf(before, 'red')} → ${sideOf(after, 'green')}`);
}

/** Who agreed as the second person; an owner who went past that is told. */
function approverOf(approval: Json | undefined): string {
  if (!isObject(approval)) return '';
  const { decided } = approval;
  return isObject(decided) ? actorOf(decided['by']) : 'NOBODY';
}

function actorOf(actor: Json | undefined): string {
  if (!isObject(actor)) return '';
  return String(actor['label'] ?? actor['keyId'] ?? actor['kind'] ?? '');
}

function changesIn(changes: Json | undefined): string {
  const names = objectsIn(changes).map((change) => {
    const name = nameOfChange(change);
    return change['removed'] === true || change['hash'] === null ? `-${name}` : name;
  });
  return names.length > MAX_CHANGES ? `${names.slice(0, MAX_CHANGES).join(', ')} and ${names.length - MAX_CHANGES} more` : names.join(', ');
}

function nameOfChange({ kind, id }: JsonObject): string {
  return id === '*' ? String(kind) : `${String(kind)} ${String(id)}`;
}

function objectsIn(list: Json | undefined): readonly JsonObject[] {
  return isArray(list) ? list.filter(isObject) : [];
}
