import type { input, inputObject } from '../../../contract/resources/logic.ts';
import type { Written } from '../../../contract/resources/member.ts';
import { isArray, isObject, type Json } from '../../../kernel/json.ts';
import { didYouMean } from '../../../kernel/nearest.ts';
import { INPUT_TYPES, MAX_NESTING } from '../../endpoint/input.ts';
import { inputOfBody } from '../../security/call-body.ts';
import { listOf, longForm, objectOf } from '../read.ts';
import type { Findings } from './finding.ts';

/** Findings for the input that an endpoint declares: what is not checked, and what no call can send. */
export function inputFindings(written: Json | undefined, findings: Findings): void {
  const declared: Written<typeof input> = objectOf(written);
  const properties = objectOf(declared.properties);
  const fields = Object.entries(declared).filter(([name, field]) => isObject(field) && !['properties', 'items'].includes(name));
  if (declared.properties === undefined && fields.length > 0) {
    const message = `'input' has no 'properties', so nothing of it is checked.`;
    findings.add('INPUT_UNCHECKED', '/input', message, `Put its fields under 'properties'.`);
  }
  for (const [name, field] of Object.entries(properties)) {
    const { type }: Written<typeof inputObject> = objectOf(field);
    const sample = type === 'object' ? {} : '';
    if (!Object.hasOwn(inputOfBody({ [name]: sample }), name)) {
      const message = `'${name}' means something else in a call, so it is no input.`;
      findings.add('RESERVED_INPUT', `/input/properties/${name}`, message, 'Rename it.');
    }
    fieldFindings(field, `/input/properties/${name}`, 1, findings);
  }
  for (const [index, name] of listOf(declared.required).entries()) {
    if (typeof name === 'string' && Object.hasOwn(properties, name)) continue;
    findings.add('INPUT_REQUIRED_UNKNOWN', `/input/required/${index}`, `'${String(name)}' is required but has no property.`);
  }
}

/** A type that does not exist accepts any value, and a `required` that is neither true nor a list requires nothing. */
function fieldFindings(field: Json, pointer: string, depth: number, findings: Findings): void {
  if (depth > MAX_NESTING) return;
  const { type, required, properties, items }: Written<typeof inputObject> = longForm(field, 'type');
  const at = typeof field === 'string' ? pointer : `${pointer}/type`;
  const unknown = (isArray(type) ? type : [type]).find((name) => typeof name === 'string' && !INPUT_TYPES.includes(name));
  if (typeof unknown === 'string') {
    const fix = didYouMean(unknown, INPUT_TYPES) ?? `One of ${INPUT_TYPES.join(', ')}.`;
    findings.add('INVALID_INPUT_TYPE', at, `'${unknown}' is no type of an input, so any value passes.`, fix);
  }
  if (required !== undefined && typeof required !== 'boolean' && !isArray(required))
    findings.add('INVALID_REQUIRED', `${pointer}/required`, `'required' is true, false or a list of names.`);
  for (const [name, inner] of Object.entries(objectOf(properties)))
    fieldFindings(inner, `${pointer}/properties/${name}`, depth + 1, findings);
  if (items !== undefined) fieldFindings(items, `${pointer}/items`, depth + 1, findings);
}
