import type { Command } from 'commander';
import type { EconomyAlarms, Settings } from '../contract/answers.ts';
import { anyObject, listOf, members, text, wholeNumber } from '../folder/answer-shape.ts';
import { checkedBody } from '../folder/remote.ts';
import { type Json, type JsonObject, parseJson, stringifyJson } from '../kernel/json.ts';
import { printResult, table } from './context.ts';
import { withLimit } from './limit-option.ts';
import { needSet, saying } from './remote/message.ts';
import { objectsIn, pathOf } from './remote/requests.ts';
import { visible } from './remote/words.ts';
import { type RemoteOptions, remoteCommand, remoteOf } from './remote.ts';
import { WrongUsage } from './wrong-usage.ts';

interface AlarmsOptions extends RemoteOptions {
  readonly limit: number;
  readonly before?: string;
  readonly set?: string;
  readonly message?: string;
  readonly ticket?: string;
}

const SETTINGS = members({ settings: members({ economyAlarms: listOf(anyObject) }) });
const RAISED = members({ alarms: listOf(members({ revision: wholeNumber, alarm: text, window: text })) });

/** `savepoint economy alarms`: which alarms are set, and which were raised; sets them. */
export function economyAlarms(): Command {
  const made = remoteCommand('alarms', 'show the alarms of the economy, and those that were raised, newest first; --set sets them');
  return saying(withLimit(made, 'how many that were raised', { to: 200, preset: 20 }))
    .option('--before <revision>', 'those that were raised before this revision')
    .option('--set <alarms>', 'all alarms from now on, as a JSON list; [] takes them away')
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint economy alarms' +
        `\n  savepoint economy alarms --set '[{"name":"flood","currency":"gold","overMedian":5}]' -m "after the duping of May"` +
        '\n  savepoint economy --field gold --by entry --alarm 4711',
    )
    .action(async (options: AlarmsOptions) => {
      const remote = remoteOf(options);
      const { set, limit, before, message, ticket } = options;
      const { set: _, ...others } = options;
      needSet({ ...others, ...(set === undefined ? {} : { set: [set] }) });
      const path = pathOf(remote, 'manage', 'settings');
      if (set !== undefined) {
        const body = { economyAlarms: alarmsOf(set) };
        await remote.request('PUT', path, { body, query: { message, ticket }, again: 'keyed' });
      }
      const { settings } = checkedBody<Settings>(await remote.request('GET', path), SETTINGS);
      const asked = pathOf(remote, 'manage', 'economy', 'alarms');
      const page = checkedBody<EconomyAlarms>(await remote.request('GET', asked, { query: { limit, before } }), RAISED);
      const alarms = objectsIn(settings['economyAlarms']);
      printResult(options, { ok: true, set: alarms, raised: page.alarms, before: page.before }, () => said(alarms, page));
    });
}

function alarmsOf(written: string): Json {
  try {
    const alarms = parseJson(written);
    if (Array.isArray(alarms)) return alarms;
  } catch {
    // It is told below.
  }
  throw new WrongUsage('--set takes a JSON list of alarms, such as [{"name":"flood","currency":"gold","overMedian":5}]');
}

function said(alarms: readonly JsonObject[], { alarms: raised, before }: EconomyAlarms): string {
  const set = alarms.map((alarm) => `  ${visible(alarmText(alarm))}`).join('\n');
  const rows = raised.map(({ at, revision, alarm, window, currency, source, player, amount, threshold }) => [
    ...[at, alarm, window, currency, source ?? '', player ?? ''],
    ...[stringifyJson(amount), stringifyJson(threshold), String(revision)],
  ]);
  return [
    alarms.length === 0 ? 'No alarm is set.' : `Set:\n${set}`,
    '',
    raised.length === 0
      ? 'None was raised.'
      : table(['RAISED', 'ALARM', 'WINDOW', 'CURRENCY', 'SOURCE', 'PLAYER', 'CAME IN', 'MORE THAN', 'REVISION'], rows),
    ...(before === null ? [] : [`Older: --before ${before}`]),
  ].join('\n');
}

/** `flood: currency gold, overMedian 5`. */
function alarmText({ name = null, ...rest }: JsonObject): string {
  const told = Object.entries(rest).filter(([, value]) => value !== null);
  return `${cell(name)}: ${told.map(([key, value]) => `${key} ${cell(value)}`).join(', ')}`;
}

function cell(value: Json): string {
  return typeof value === 'string' ? value : stringifyJson(value);
}
