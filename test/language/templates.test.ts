import { describe, expect, it } from 'vitest';
import { ExactNumber, type Json } from '../../src/kernel/json.ts';
import { LanguageError } from '../../src/language/expressions/errors.ts';
import { result, run, template } from './support.ts';

const NAMES: Record<string, Json> = {
  n: 5,
  text: 'abc',
  none: null,
  empty: '',
  zero: 0,
  no: false,
  list: [{ q: 1 }, { q: 2 }],
  player: { gold: 7, bag: { sword: 2 } },
  words: ['a', null, 'b'],
};

describe('a template', () => {
  it.each<[string, unknown]>([
    ['plain', 'plain'],
    ['{{n}}', 5],
    ['{{ n }}', 5],
    [' {{n}}', ' 5'],
    ['{{n}}{{n}}', '55'],
    ['{{list}}', [{ q: 1 }, { q: 2 }]],
    ['{{none}}', null],
    ['{{missing}}', undefined],
    ['<{{missing}}|{{none}}>', '<|>'],
    ['{{words}}!', 'a,,b!'],
    ['{{player}}!', '[object Object]!'],
    ['{{list.1.q}}', 2],
    ['{{list.length}}', 2],
    ['{{list.count}}', 2],
    ['{{text.length}}', undefined],
    ['{{ unclosed', '{{ unclosed'],
    ['a }} {{n}}', 'a }} 5'],
    ['{{x {{n}}', '{{x 5'],
    ['{"a":{{n}}}', '{"a":5}'],
  ])('%s gives its value, typed when it is the whole text', (text, value) => {
    expect(template(text, NAMES)).toEqual(value);
  });

  it.each<[string, unknown]>([
    ['{{missing|3}}', 3],
    ['{{missing|-2.5}}', -2.5],
    ['{{missing|bronze}}', 'bronze'],
    ['{{missing|"x y"}}', 'x y'],
    ['{{missing|true}}', true],
    ['{{missing|null}}', null],
    ['{{missing|}}', undefined],
    ['{{none|1}}', 1],
    ['{{zero|1}}', 0],
    ['{{no|1}}', false],
    ['{{empty|1}}', ''],
    ['{{missing|{{player.gold}}}}', 7],
    ['{{missing|a|b}}', 'a|b'],
    ['{{-n}}', -5],
    ['{{-missing}}', 0],
    ['{{-missing|4}}', -4],
  ])('%s takes its default for nullish values only, before the sign', (text, value) => {
    expect(template(text, NAMES)).toEqual(value);
  });

  it.each<[string, unknown]>([
    ['{{player.bag[item]}}', 2],
    ['{{player[where][item]}}', 2],
    ['{{player[where].sword}}', 2],
    ['{{player["bag"][ "sword" ]}}', 2],
    ["{{player['bag'].sword}}", 2],
    ['{{list[1].q}}', 2],
    ['{{list[i].q}}', 2],
    ['{{list[ list[0].q ].q}}', 2],
    ['{{list[{{i}}].q}}', 2],
    ['{{odd["a.b"]}}', 'dots and all'],
    ['{{odd[dotted]}}', 'dots and all'],
    ['{{odd[a{{tail}}]}}', 'dots and all'],
    ['{{-list[i].q}}', -2],
    ['{{list[7].q|9}}', 9],
    ['{{list[missing].q}}', undefined],
    ['{{list[none].q|9}}', 9],
    ['{{missing[i]}}', undefined],
    ['{{list["length"]}}', 2],
    ['{{coalesce(player.bag[nope], player.bag[item])}}', 2],
    ['{{count(groups[where], x => groups[where][0] == x.q)}}', 0],
    ['{{count(list, x => marks[x.q] == true)}}', 1],
    ['{{count(list, x => !marks[x.q].deep && marks[x.q])}}', 1],
    ['you have {{player.bag[item]}}', 'you have 2'],
    ['{{[x]}', '{{[x]}'],
  ])('%s reads a path with brackets, what is in them as one name', (text, value) => {
    const more = { where: 'bag', item: 'sword', i: 1, odd: { 'a.b': 'dots and all' }, dotted: 'a.b', tail: '.b' };
    expect(template(text, { ...NAMES, ...more, groups: { bag: [{ q: 5 }] }, marks: { 2: true } })).toEqual(value);
  });

  it('aliases reach into brackets, as into the rest of a token', () => {
    const steps = [{ id: 'me', type: 'object', fields: { at: { x: 'b' } } }];
    const definition = { steps, let: { at: 'me.at', row: 'values.rows' }, response: { body: { r: '{{row[at.x]}}' } } };
    expect(run(definition, { values: { rows: { b: 4 } } }).body).toEqual({ r: 4 });
  });

  it.each([
    '{{list[1}}',
    '{{list[]}}',
    '{{list[1]q}}',
    '{{[1]}}',
    '{{list[i + 1]}}',
    '{{list[f(i)]}}',
    '{{list["__proto__"]}}',
    '{{list[bad]}}',
    '{{list[ constructor ]}}',
    '{{a[b][b][b][b][b][b][b][b][b][b]}}',
  ])('%s is refused', (text) => {
    expect(() => template(text, { ...NAMES, i: 1, bad: ' __proto__', b: 'x' })).toThrow(LanguageError);
  });

  it('splices nested tokens into paths', () => {
    expect(template('{{player.bag.{{kind}}}}', { ...NAMES, kind: 'sword' })).toBe(2);
    expect(template('{{values.prices.{{input.kind}}_cost}}', {}, { input: { kind: 'axe' }, values: { prices: { axe_cost: 9 } } })).toBe(9);
  });

  it('never reads a player’s text as syntax', () => {
    const world = { values: { prices: { axe: 9 } } };
    for (const kind of ['nope|0', 'nope)|0', '{{values.prices.axe}}']) {
      expect(template('{{values.prices.{{input.kind}}}}', {}, { ...world, input: { kind } })).toBeUndefined();
    }
    expect(() => template('{{values.{{input.kind}}.x}}', {}, { ...world, input: { kind: '__proto__' } })).toThrow(LanguageError);
    for (const kind of ['prices[axe]', 'prices["axe"]', 'prices.axe']) {
      expect(template('{{values[input.kind]}}', {}, { ...world, input: { kind } })).toBeUndefined();
      expect(template('{{values["{{input.kind}}"].x}}', {}, { ...world, input: { kind } })).toBeUndefined();
    }
    expect(template('{{values.{{input.kind}}}}', {}, { ...world, input: { kind: 'prices[axe]' } })).toBeUndefined();
  });

  it.each<[string, unknown]>([
    ['{{coalesce(missing, empty, n)}}', 5],
    ['{{default(missing, "x")}}', 'x'],
    ['{{num("12")}}', 12],
    ['{{num(text, 3)}}', 3],
    ['{{num(text)}}', 0],
    ['{{get(player.bag, sword, 0)}}', 2],
    ['{{get(player.bag, input.item, 0)}}', 2],
    ['{{get(player.bag, axe, 1)}}', 1],
    ['{{min(3, n)}}', 3],
    ['{{max(pluck(list, q))}}', 2],
    ['{{count(list)}}', 2],
    ['{{sum(list, q)}}', 3],
    ['{{count(list, x => x.q > 1)}}', 1],
    ['{{matches(text, "^a.c$")}}', true],
    ['{{unknown(1)}}', undefined],
  ])('%s calls a function', (text, value) => {
    expect(template(text, NAMES, { input: { item: 'sword' } })).toEqual(value);
  });

  it.each([
    '{{-text}}',
    '{{-list}}',
    '{{a.__proto__}}',
    '{{constructor}}',
    '{{a.prototype.b}}',
    '{{a.b.c.d.e.f.g.h.i.j.k}}',
    '{{max(text, 1)}}',
    `${'x'.repeat(10_001)}{{n}}`,
    `${'{{a|'.repeat(9)}1${'}}'.repeat(9)}`,
    '{{num(get(player.bag, "__proto__", 1))}}',
  ])('refuses %s', (text) => {
    expect(() => template(text, NAMES)).toThrow(LanguageError);
  });

  it.each<[string, unknown]>([
    ['platformId', '76561198000000001'],
    ['projectId', 'p1'],
    ['now', '2023-11-14T22:13:20.000Z'],
    ['_unixMs', 1_700_000_000_000],
    ['_unixS', 1_700_000_000],
    ['_dateUTC', '2023-11-14'],
    ['_timeUTC', '22:13:20'],
    ['_datetimeUTC', '2023-11-14T22:13:20Z'],
    ['_year', 2023],
    ['_month', 11],
    ['_day', 14],
    ['_hour', 22],
    ['_minute', 13],
    ['_dayOfWeek', 2],
    ['_hasSecretKey', false],
    ['_isDedicatedServer', false],
    ['random', undefined],
    ['toString', undefined],
  ])('knows the built-in name %s', (name, value) => {
    expect(template(`{{${name}}}`)).toBe(value);
  });

  it('copies an exact number as it is, and negates it exactly', () => {
    const id = new ExactNumber('76561198000000001');
    expect(template('{{id}}', { id })).toBe(id);
    expect(template('{{nope|76561198000000001}}')).toEqual(id);
    expect(template('<{{id}}>', { id })).toBe('<76561198000000001>');
    expect(template('{{-id}}', { id })).toEqual(new ExactNumber('-76561198000000001'));
  });

  it('resolves chains of aliases, keeps the default, and refuses a cycle', () => {
    const steps = [{ id: 'p', type: 'object', let: { me: 'p.stats', gold: 'me.gold', a: 'b', b: 'a' }, fields: { stats: { gold: 3 } } }];
    expect(result(steps, ['{{gold}}', '{{me.silver|1}}', '{{-me.gold}}'])).toEqual({ result: [3, 1, 0] });
    expect(() => result(steps, '{{a}}')).toThrow('refers to itself');
  });

  it('lets a step replace a built-in name', () => {
    expect(result([{ id: 'now', type: 'transform', value: 'later' }], '{{now}}')).toEqual({ result: 'later' });
  });

  it('resolves at most eight levels deep', () => {
    const nest = (depth: number): Json => (depth === 0 ? '{{n}}' : [nest(depth - 1)]);
    expect(
      result(
        [
          { id: 'n', type: 'transform', value: 1 },
          { id: 'x', type: 'array', items: nest(8) },
        ],
        '{{x.0.0.0.0.0.0.0.0}}',
      ),
    ).toEqual({ result: 1 });
    expect(() => result([{ id: 'x', type: 'array', items: nest(9) }], 1)).toThrow('nesting depth');
  });
});
