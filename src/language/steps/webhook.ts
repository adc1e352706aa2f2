import { namesIn, type Written } from '../../contract/resources/member.ts';
import { STEPS, type StepSchema, webhookEntry } from '../../contract/resources/step.ts';
import { truncateText } from '../../domain/document/truncate-text.ts';
import { type Findings, isTemplated, isText } from '../../domain/finding.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { listOf, objectOf, objectsIn } from '../../kernel/json-read.ts';
import { LanguageError } from '../expressions/errors.ts';
import type { Language } from '../expressions/language.ts';
import type { Scope } from '../expressions/scope.ts';
import type { NormalStep } from '../normal/logic.ts';
import { binding, type CompileStep, firstString } from '../step.ts';
import type { StepKind } from '../step-kind.ts';
import { binds } from '../types/bound.ts';
import type { StepFlow } from '../types/flow.ts';
import { BOOLEAN } from '../types/type.ts';
import { unknownMembers } from '../validate/members.ts';
import { compileMessage } from './shared/message.ts';

/** Most fields that a chat service accepts in a message. */
const MAX_FIELDS = 25;

const MAX = { title: 256, description: 4096, name: 256, value: 1024 } as const;

const DEFAULT_COLOR = '5865f2';

/**
 * `webhook`: sends a message to a chat once the call is stored. If the definition reads its result, it is sent before that, once however
 * often the run is repeated. A failed delivery does not fail the call.
 */
const compile: CompileStep<'webhook'> = (step, compilation) => {
  const { language } = compilation;
  const { json } = step;
  const text = firstString(json, 'url');
  if (text === undefined) throw new LanguageError('it has no url.');
  const url = compileMessage(language, text);
  const embed = compileEmbed(language, json);
  const isAwaited = compilation.reads(step.name);
  return binding(step, ({ scope }) => {
    const result = scope.context.webhook(url(scope), { embeds: [embed(scope)] }, isAwaited);
    if (result === null) throw new LanguageError('webhooks may not go to this address.');
    return result;
  });
};

function compileEmbed(language: Language, json: Written<StepSchema<'webhook'>>): (scope: Scope) => JsonObject {
  const title = compileText(language, json.title, MAX.title);
  const description = compileText(language, json.description, MAX.description);
  const fields = objectsIn(json.fields).slice(0, MAX_FIELDS);
  const compiled = fields.map((field) => compileField(language, field));
  const color = Number.parseInt(colorOf(json.color), 16);
  return (scope) => ({
    title: title(scope),
    description: description(scope),
    color,
    fields: compiled.map((field) => field(scope)),
    timestamp: new Date(scope.context.call.now).toISOString(),
  });
}

function compileField(language: Language, field: Written<typeof webhookEntry>): (scope: Scope) => JsonObject {
  const name = compileText(language, field.name, MAX.name);
  const value = compileText(language, field.value, MAX.value);
  const inline = field.inline === true;
  return (scope) => ({ name: name(scope), value: value(scope), inline });
}

function compileText(language: Language, json: Json | undefined, most: number): (scope: Scope) => string {
  if (typeof json !== 'string') return () => (typeof json === 'number' ? String(json) : '');
  const text = compileMessage(language, json);
  return (scope) => truncateText(text(scope), most);
}

function colorOf(json: Json | undefined): string {
  const digits = typeof json === 'string' ? json.replace(/^#/, '') : '';
  return /^[0-9a-f]{6}$/i.test(digits) ? digits : DEFAULT_COLOR;
}

function check(step: NormalStep<'webhook'>, pointer: string, findings: Findings): void {
  const { url } = step;
  if (!isText(url)) findings.add('MISSING_WEBHOOK_URL', pointer, `This step needs a 'url'.`);
  else if (!isTemplated(url) && !/^https?:\/\/./i.test(url))
    findings.add('INVALID_WEBHOOK_URL', `${pointer}/url`, 'This is no address to post to.');
  findings.structure(STEPS.webhook, step, pointer, 'fields', 'color');
  for (const [index, field] of listOf(step.fields).entries())
    unknownMembers(objectOf(field), namesIn(webhookEntry), 'UNKNOWN_STEP_MEMBER', `${pointer}/fields/${index}`, findings);
}

/** Services answer webhooks in different ways, so only `ok` is known. */
const flow: StepFlow<NormalStep<'webhook'>> = (step, names) =>
  binds(step, names, { kind: 'object', members: new Map([['ok', { type: BOOLEAN }]]), rest: null, open: true });

export const webhookStep: StepKind<'webhook'> = {
  compile,
  check,
  binds: () => 'open',
  flow,
};
