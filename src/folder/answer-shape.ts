import { isArray, isObject, type Json } from '../kernel/json.ts';

/**
 * What commands read of a server's answer. Something else may have answered, such as a proxy or an older node, so what is read is looked at
 * first. Members that no command reads are not.
 */

/** Says what is wrong with a value, as the end of a sentence; `null`: nothing. `at`: where it stands in the answer. */
export type Shape = (value: Json | undefined, at: string) => string | null;

export const text = typed('text', (value) => typeof value === 'string');
export const flag = typed('boolean', (value) => typeof value === 'boolean');
export const wholeNumber = typed('whole number', (value) => Number.isSafeInteger(value));
export const anyObject = typed('object', (value) => isObject(value));
/** Anything that is there. */
export const something = typed('value', (value) => value !== undefined);

/** A member that may be `null` or left out. */
export function optional(shape: Shape): Shape {
  return (value, at) => (value === undefined || value === null ? null : shape(value, at));
}

export function listOf(shape: Shape): Shape {
  return (value, at) => {
    if (!isArray(value)) return `it has no list '${at}'`;
    return firstFault(value.map((item, index) => () => shape(item, `${at}[${index}]`)));
  };
}

export function members(shapes: Readonly<Record<string, Shape>>): Shape {
  return (value, at) => {
    if (!isObject(value)) return at === '' ? 'it is no JSON object' : `its '${at}' is no object`;
    return firstFault(
      Object.entries(shapes).map(
        ([name, shape]) =>
          () =>
            shape(value[name], at === '' ? name : `${at}.${name}`),
      ),
    );
  };
}

function typed(kind: string, fits: (value: Json | undefined) => boolean): Shape {
  return (value, at) => (fits(value) ? null : `its '${at}' is no ${kind}`);
}

function firstFault(checks: readonly (() => string | null)[]): string | null {
  for (const check of checks) {
    const fault = check();
    if (fault !== null) return fault;
  }
  return null;
}
