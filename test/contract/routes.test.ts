import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { BASES } from '../../src/contract/families.ts';
import { IDEMPOTENCY_KEY, PATH_PARAMETERS } from '../../src/contract/parameters.ts';
import type { Route } from '../../src/contract/route.ts';
import { routes } from '../../src/contract/routes/index.ts';

const named = routes.map((route): [string, Route] => [route.id, route]);

const fault = (schema: z.ZodType | undefined, value: unknown) => {
  const parsed = schema?.safeParse(value);
  return parsed === undefined ? 'there is no schema' : parsed.success ? null : z.prettifyError(parsed.error);
};

describe('the routes of the contract', () => {
  it('have an id each, and no two of a family take the same requests', () => {
    expect(routes.map(({ id }) => id).filter((id, index, all) => all.indexOf(id) !== index)).toEqual([]);
    const served = routes.flatMap(({ method, path, family, also = [] }) =>
      [family, ...also].map((name) => `${method} ${BASES[name]}${path.replace(/:\w+/g, ':')}`),
    );
    expect(served.filter((one, index) => served.indexOf(one) !== index)).toEqual([]);
  });

  it.each(named)('%s describes every parameter of its path', (_, { path, params = {} }) => {
    const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
    expect(names.filter((name) => params[name] === undefined && PATH_PARAMETERS[name] === undefined)).toEqual([]);
  });

  it.each(
    named.filter(
      ([, { hidden, noJson, id }]) => !hidden && !noJson && !/^(?:(?:refresh|reauth|revoke)Session|(?:join|link|unlink)Guest)$/.test(id),
    ),
  )('%s has an example, which fits it', (_, route) => {
    const { example = {}, body, answers, query = {}, anyQuery, headers = {} } = route;
    expect(example.answer).toBeDefined();
    expect(fault(answers[example.status ?? 200], example.answer)).toBeNull();
    if (body?.required === true) expect(example.body).toBeDefined();
    if (example.body !== undefined) expect(fault(body?.schema, example.body)).toBeNull();
    const known = { ...headers, ...IDEMPOTENCY_KEY };
    expect(Object.keys(example.query ?? {}).filter((name) => anyQuery === undefined && query[name] === undefined)).toEqual([]);
    expect(Object.keys(example.headers ?? {}).filter((name) => !(name in known))).toEqual([]);
  });
});
