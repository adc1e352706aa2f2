import type { collection } from '../../../contract/resources/collection.ts';
import type { endpoint } from '../../../contract/resources/logic.ts';
import type { Written } from '../../../contract/resources/member.ts';
import type { Json, JsonObject } from '../../../kernel/json.ts';
import { flagOf, objectOf } from '../../../kernel/json-read.ts';
import { isInternal } from '../../../language/exposure.ts';
import type { Finding } from '../../finding.ts';
import type { ListedKind } from '../../kinds.ts';
import { dailyLimit } from '../model/models.ts';

/** The members that guards are read from, in definitions of any kind. */
type GuardedDefinition = Omit<Written<typeof endpoint>, 'rateLimits'> & Written<typeof collection>;
type GuardName = keyof GuardedDefinition & string;

/** A guard: a setting that keeps callers out, or limits them. */
interface Guard {
  /** Members that set it. The first one present is named in the finding. */
  readonly members: readonly GuardName[];
  holds(definition: GuardedDefinition): boolean;
}

const SECRET_KEY = flag('requiresSecretKey', true);
const GUARDS: Readonly<Record<ListedKind, readonly Guard[]>> = {
  endpoint: [
    SECRET_KEY,
    { members: ['exposure', 'internalOnly', 'internal', 'publiclyCallable'], holds: isInternal },
    flag('enabled', false),
    flag('requireReauth', true),
    {
      members: ['rateLimits', 'rateLimit'],
      holds: (definition) => isLimit(definition.rateLimits) || isLimit(definition.rateLimit),
    },
  ],
  collection: [
    { members: ['rateLimits'], holds: (definition) => dailyLimit(objectOf(definition.rateLimits)) !== null },
    flag('requireSaveVersion', true),
  ],
  query: [SECRET_KEY],
  workflow: [],
  library: [],
};

/** Findings for guards that a push drops. A push replaces the definition, and some editors leave these members out of what they pulled. */
export function droppedGuards(kind: ListedKind, before: JsonObject, after: JsonObject): readonly Finding[] {
  const dropped = GUARDS[kind].filter(({ members, holds }) => holds(before) && !members.some((name) => isSet(after, name)));
  return dropped.map(({ members }) => {
    const name = members.find((each) => isSet(before, each)) ?? members[0];
    return {
      code: 'GUARD_DROPPED',
      pointer: `/${name}`,
      message: `What this replaces had '${name}'; this has not, so it holds no more.`,
      fix: `Say '${name}' again, or with what it should be now.`,
    };
  });
}

function flag(name: GuardName, closed: boolean): Guard {
  return { members: [name], holds: (definition) => flagOf(definition[name]) === closed };
}

function isSet(definition: GuardedDefinition, name: GuardName): boolean {
  return (definition[name] ?? null) !== null;
}

/** Whether an author wrote a limit, in whatever form. */
function isLimit(limits: Json | undefined): boolean {
  const own = objectOf(limits);
  return Object.keys(own).length > 0 && own['mode'] !== 'none';
}
