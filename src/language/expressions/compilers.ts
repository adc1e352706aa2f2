import { compileCondition } from './condition.ts';
import { deferred } from './errors.ts';
import { compileExpression, compileMath } from './expression.ts';
import type { Language } from './language.ts';
import { compilePath, compileTemplate, compileTokenBody } from './template.ts';

export const language: Language = {
  template: (text) => deferred(() => compileTemplate(language, text)),
  token: (body) => deferred(() => compileTokenBody(language, body)),
  path: (text, aliases) => compilePath(language, text, aliases),
  expression: (text) => deferred(() => compileExpression(language, text)),
  math: (text) => deferred(() => compileMath(language, text)),
  condition: (json) => deferred(() => compileCondition(language, json)),
};
