import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSearch, stringifySearch } from '../../src/console/frame/search.ts';
import { deedOf, doerOf, fieldsSaid, isPastApproval, managedSaid, ownDeed, undoneAt, whoOf } from '../../src/console/words/commit.ts';
import { fieldAt, MAX_ROWS, rowsOf, uniqueTexts } from '../../src/console/words/document.ts';
import { operationsFor, typedValue } from '../../src/console/words/edit.ts';
import { exactDigits, exactJson, withExactNumbers } from '../../src/console/words/exact.ts';
import { isLost } from '../../src/console/words/lost.ts';
import { NOTICES } from '../../src/console/words/notices.ts';
import { heldText } from '../../src/console/words/publish.ts';
import { mayPass, noticeOf, refusalOf } from '../../src/console/words/refusal.ts';
import { ago, momentOf, shortMoment, timeAndAgo, typedMoment, unreadableMoment, zoneName } from '../../src/console/words/time.ts';
import { cut, linesOfValue, signed, valueStart, valueText } from '../../src/console/words/value.ts';

describe('numbers that a page could not hold', () => {
  it('keep their digits, wherever they stand', () => {
    const read: unknown = JSON.parse(
      withExactNumbers('{"id":18446744073709551615,"text":"18446744073709551615","list":[0.1234567890123456789],"n":12}'),
    );
    expect(valueText(Object(read).id)).toBe('18446744073709551615');
    expect(Object(read).text).toBe('18446744073709551615');
    expect(Object(read).n).toBe(12);
    expect(exactDigits(Object(read).list[0])).toBe('0.1234567890123456789');
    expect(exactJson(read)).toBe('{"id":18446744073709551615,"text":"18446744073709551615","list":[0.1234567890123456789],"n":12}');
  });
});

describe('a document as rows', () => {
  const schema = {
    name: { type: 'string' },
    gold: { type: 'number', _ledger: true, default: 10, _maxPerDay: 500 },
    bag: { type: 'object', properties: { axe: { type: 'number' } } },
  };

  it('shows each field with what the schema says, those that are not set among them', () => {
    const { rows } = rowsOf({ gold: 3, bag: { axe: 1, odd: true } }, schema);
    expect(rows.map(({ path, says, depth }) => [path, says, depth])).toEqual([
      ['gold', 'number · default 10 · ledger · grows by 500 a day at most', 0],
      ['bag', 'object', 0],
      ['bag.axe', 'number', 1],
      ['bag.odd', null, 1],
      ['name', 'string', 0],
    ]);
    expect(rows.find(({ path }) => path === 'name')?.value).toBeUndefined();
  });

  it('is found by texts of which each is one document’s', () => {
    const unique = { type: 'string', _unique: true };
    const profile = { type: 'object', properties: { name: { type: 'string', _unique: 'caseless' }, note: { type: 'string' } } };
    expect(uniqueTexts({ nick: unique, age: { type: 'number', _unique: true }, off: { type: 'string', _unique: false }, profile })).toEqual(
      ['nick', 'profile.name'],
    );
  });

  it('ends where a page would become too long, and says so', () => {
    const large = Object.fromEntries(Array.from({ length: MAX_ROWS + 5 }, (_, place) => [`field${place}`, place]));
    const { rows, isCut } = rowsOf(large, undefined);
    expect([rows.length, isCut]).toEqual([MAX_ROWS, true]);
  });

  it('leaves an object of many members in one cell, which is cut', () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, place) => [`item${place}`, place]));
    const { rows } = rowsOf({ many }, undefined);
    expect(rows).toHaveLength(1);
    expect(cut(valueStart(rows[0]?.value))).toHaveLength(120);
  });

  it('shows no sign that turns the order of letters, so what it was and what it became stand where they belong', () => {
    expect(cut('\u202Eabc\u2066')).toBe('\uFFFDabc\uFFFD');
    expect(cut('\u200Fשלום')).toBe('\u200Fשלום');
  });

  it('prints the beginning of a long value alone, and a short one whole', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(200), (value, length) => {
        const [start, whole] = [valueStart(value, length), valueText(value)];
        expect(whole.startsWith(start)).toBe(true);
        expect(start === whole || start.length > length).toBe(true);
      }),
    );
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, place) => [`item${place}`, place]));
    expect(valueStart({ many }).length).toBeLessThan(200);
  });
});

describe('an edit', () => {
  it('means text where the field holds text, and a number where it holds numbers', () => {
    expect(typedValue('42', 'set', 'string')).toEqual({ ok: true, value: '42' });
    expect(typedValue('42', 'set', 'number')).toEqual({ ok: true, value: 42 });
    expect(typedValue('much', 'set', 'number')).toMatchObject({ ok: false });
    expect(typedValue('-5', 'inc', 'number')).toEqual({ ok: true, value: -5 });
    expect(typedValue('sword', 'push', 'array')).toEqual({ ok: true, value: 'sword' });
    expect(typedValue('["sword"', 'set', 'array')).toMatchObject({ ok: false });
  });

  it('takes a number by its digits, and an object to merge', () => {
    expect(typedValue('18446744073709551615', 'set', 'number')).toEqual({ ok: true, value: '\uE00018446744073709551615' });
    expect(typedValue('1.5', 'set', 'integer')).toMatchObject({ ok: false });
    expect(typedValue('{"sword": 1}', 'merge', 'object')).toEqual({ ok: true, value: { sword: 1 } });
    expect(typedValue('sword', 'merge', 'object')).toMatchObject({ ok: false });
  });

  it('offers what the field can do', () => {
    expect(operationsFor(['rope'], 'array')).toEqual(['push', 'remove', 'set']);
    expect(operationsFor(undefined, 'array')).toEqual(['push', 'set']);
    expect(operationsFor({}, 'object')).toEqual(['merge', 'set']);
    expect(operationsFor(undefined, 'number')).toEqual(['inc', 'set']);
  });

  it('may be of a field that is not there yet, but not within what holds no members', () => {
    const schema = { gold: { type: 'number' }, stats: { type: 'object', properties: { level: { type: 'integer', max: 9 } } } };
    expect(fieldAt({ gold: 1 }, schema, 'stats.level')).toEqual({
      value: undefined,
      type: 'integer',
      says: 'integer · at most 9',
      problem: null,
    });
    expect(fieldAt({ bag: { axe: 2 } }, schema, 'bag.axe')).toEqual({ value: 2, type: 'number', says: null, problem: null });
    expect(fieldAt({ gold: 1 }, schema, 'gold.more').problem).toBe('gold holds no members: it is number.');
    expect(fieldAt({}, schema, 'a..b').problem).not.toBeNull();
  });
});

describe('words', () => {
  it('of what was done of the project itself say what it was and became, in plainer words than names', () => {
    const { fields } = { fields: [{ path: 'approvals', before: 'required', value: 'off' }] };
    expect(managedSaid({ what: 'settings', change: 'changed', fields, more: 2 })).toEqual([
      { path: 'second person (approvals)', text: 'required → off' },
      { path: 'and 2 more', text: '' },
    ]);
    const may = [{ path: 'permissions.history', before: 'r', value: null }];
    expect(managedSaid({ what: 'key', change: 'changed', id: 'k1', fields: may })).toEqual([{ path: 'may history', text: 'r → not set' }]);
    const made = [{ path: 'permissions.history', before: null, value: 'r' }];
    expect(managedSaid({ what: 'key', change: 'made', id: 'k1', fields: made })).toEqual([{ path: 'may history', text: 'r' }]);
    const alarms = [{ path: 'economyAlarms', before: [], value: [{ name: 'rich', currency: 'gold', perPlayerHour: 100 }] }];
    expect(managedSaid({ what: 'settings', change: 'changed', fields: alarms })).toEqual([
      { path: 'alarms (economyAlarms)', text: 'none → name rich, currency gold, perPlayerHour 100' },
    ]);
    expect(isPastApproval({ events: ['approval.bypassed', 'definitions.promoted'] })).toBe(true);
    expect(isPastApproval({ events: ['definitions.promoted'] })).toBe(false);
    const causes = ['settings.change', 'quotas.change', 'package.sync', 'support.issueCode', 'guest.issueCode', 'documents.purge'];
    const grants = ['begin', 'list', 'stop', 'resume', 'undo', 'end'].map((act) => `grant.${act}`);
    const plain = { actor: { kind: 'operator' }, events: ['x'], documents: [] };
    for (const cause of [...causes, ...grants]) expect(deedOf({ ...plain, cause })).not.toBe(cause);
  });

  it('a commit is a sentence: who, and what they did', () => {
    const call = {
      cause: 'endpoint.call',
      actor: { kind: 'public', label: 'game', player: '7', endpoint: 'buy' },
      events: [],
      documents: [],
    };
    expect(`${whoOf(call)} ${deedOf(call)}`).toBe('7 called buy');
    const write = { cause: 'document.correct', actor: { kind: 'person', label: 'Mara' }, events: [] };
    const documents = [{ collection: 'players', key: '7', change: 'written' }];
    expect(`${whoOf(write)} ${deedOf({ ...write, documents })}`).toBe('Mara corrected players/7');
    expect(deedOf({ ...write, cause: 'game-values.put', documents: [] })).toBe('changed game values');
    expect(deedOf({ ...write, cause: 'something.new', documents: [] })).toBe('something.new');
    const look = { ...write, cause: 'player.restore', documents: [], events: ['answer.kept'] };
    expect(deedOf(look)).toBe('restored what a player had (a look, or refused: nothing changed)');
    expect(deedOf({ ...call, cause: 'commit.undo', why: { reason: 'twice', undone: 7 } })).toBe('undid commit 7');
  });

  it('on the page of a player, what the player did is told without who', () => {
    const call = { cause: 'endpoint.call', actor: { kind: 'public', player: '7', endpoint: 'buy' }, events: [], documents: [] };
    expect(ownDeed(call, '7')).toBe('Called buy');
    expect(ownDeed(call, '8')).toBeNull();
    expect(ownDeed(call, undefined)).toBeNull();
    expect(ownDeed({ ...call, actor: { kind: 'person', label: 'Mara', player: '7' } }, '7')).toBeNull();
  });

  it('a key is told from a person, whatever it is called', () => {
    expect(whoOf({ actor: { kind: 'secret', keyId: 'k1', label: 'dedicated server' } })).toBe('key “dedicated server”');
    expect(whoOf({ actor: { kind: 'public', keyId: 'k2', label: 'game' } })).toBe('key “game”');
    expect(whoOf({ actor: { kind: 'secret', keyId: 'k1' } })).toBe('k1');
    expect(doerOf({ actor: { kind: 'public', keyId: 'k2', label: 'game', player: '7' } })).toBe('the key “game”');
    expect(doerOf({ actor: { kind: 'person', label: 'Mara', player: '7' } })).toBe('Mara');
  });

  it('what fields were and became is said, long values by their name alone; money is said by how much it moved', () => {
    const fields = [
      { path: 'axe', before: 6, value: 1 },
      { path: 'gold', before: 5, value: 7 },
      { path: 'note', before: '' },
      { path: 'hat', before: 'red', value: null },
      { path: 'rope', before: null, value: 2 },
      { path: 'wood', value: 3 },
    ];
    const touched = { collection: 'saves', key: '7', change: 'written', fields, more: 2 };
    const commit = {
      cause: 'endpoint.call',
      actor: { kind: 'public', player: '7', endpoint: 'sell' },
      events: [],
      players: ['7'],
      money: [],
    };
    const said = fieldsSaid({ ...commit, documents: [touched], money: [{ collection: 'saves', key: '7', field: 'gold' }] }, '7');
    const lines = said.map(({ path, text }) => `${path} ${text}`.trim());
    expect(lines).toEqual(['axe 6 → 1', 'note changed', 'hat red → not set', 'rope is 2', 'wood is 3', 'and 2 more']);
    const slot = { ...touched, key: '7_main', fields: [{ path: 'level', before: 2, value: 1 }], more: 0 };
    expect(fieldsSaid({ ...commit, documents: [slot] }, '7')).toMatchObject([{ path: 'slot main: level', text: '2 → 1' }]);
    const market = { ...touched, collection: 'town', key: 'market_iron', fields: [{ path: 'price', before: 3, value: 4 }], more: 0 };
    const own = { ...touched, fields: [{ path: 'axe', before: 6, value: 1 }], more: 0 };
    const paths = (said: ReturnType<typeof fieldsSaid>) => said.map(({ of, isNamed, path }) => (isNamed ? `${of}: ${path}` : path));
    // Where the row says whose it is, the document is not named again.
    expect(paths(fieldsSaid({ ...commit, documents: [own, market] }))).toEqual(['axe', 'town/market_iron: price']);
    const corrected = { ...commit, cause: 'document.correct', actor: { kind: 'person', label: 'ada' } };
    expect(paths(fieldsSaid({ ...corrected, documents: [own, slot] }))).toEqual(['axe', 'saves/7_main: level']);
    // A document is named once, and fields of what needs no name stand before it.
    const sold = { ...market, fields: [...market.fields, { path: 'sold', before: 1, value: 2 }] };
    expect(paths(fieldsSaid({ ...commit, documents: [sold, own] }))).toEqual(['axe', 'town/market_iron: price', 'sold']);
    const many = { ...own, fields: Array.from({ length: 12 }, (_, place) => ({ path: `f${place}`, before: 1, value: 2 })) };
    expect(paths(fieldsSaid({ ...commit, documents: [many] })).slice(9)).toEqual(['f9', 'and 2 more']);
  });

  it('a commit is undone by what undid it, once that has happened', () => {
    const undone = { revision: 30, at: '2026-03-01T12:00:00.000Z' };
    expect(undoneAt(undone, undefined)).toBe(undone);
    expect(undoneAt(undone, '30')).toBe(undone);
    expect(undoneAt(undone, '29')).toBeUndefined();
    expect(undoneAt(undone, '2026-03-01T11:59:59.000Z')).toBeUndefined();
    expect(undoneAt(undefined, undefined)).toBeUndefined();
  });

  it('a button that the game refused was tried, and not pressed', () => {
    const tried = { cause: 'button.press', actor: { kind: 'person', label: 'ada', endpoint: 'gift' }, documents: [] };
    expect(deedOf({ ...tried, events: ['answer.kept'] })).toBe('tried gift, which was refused');
    expect(deedOf({ ...tried, events: ['button.pressed'], why: { reason: 'lost', button: 'Give a gift' } })).toBe('pressed “Give a gift”');
  });

  it('a moment stands in a field as one types it there, and leads back to itself', () => {
    for (const moment of ['2026-03-01T12:00:00.000Z', '2026-03-01T12:00:07.000Z', '2026-03-01T12:00:07.125Z', '1200', '60.5', '']) {
      const typed = typedMoment(moment);
      expect([typed, typed === '' || typed === '60.5' ? moment : momentOf(typed)]).toEqual([typed, moment]);
      expect(typed).not.toContain('T');
    }
    expect(typedMoment(new Date('2026-03-01T18:30').toISOString())).toBe('2026-03-01 18:30');
    expect(['Europe/Berlin', 'America/Argentina/Buenos_Aires', 'UTC'].map((zone) => zoneName(zone))).toEqual([
      'Berlin time',
      'Buenos Aires time',
      'UTC',
    ]);
  });

  it('what is less now or gone was lost, and nothing that came since', () => {
    expect(isLost(3, 80)).toBe(true);
    expect(isLost(undefined, { hp: 1 })).toBe(true);
    expect(isLost(['rope'], ['sword', 'rope'])).toBe(true);
    expect(isLost({ gold: 1 }, { gold: 2, gems: 1 })).toBe(true);
    expect(isLost(80, 3)).toBe(false);
    expect(isLost({ hp: 1 }, undefined)).toBe(false);
    expect(isLost(['rope', 'shield'], ['sword', 'rope'])).toBe(false);
    expect(isLost({ gold: 1, gems: 1 }, { gold: 2 })).toBe(false);
    expect(isLost('warrior', 'mage')).toBe(false);
  });

  it('moments are revisions or times of where the reader is', () => {
    expect(momentOf(' 1200 ')).toBe('1200');
    expect(momentOf('2026-03-01T12:00:00Z')).toBe('2026-03-01T12:00:00.000Z');
    expect(momentOf('2026-03-01 12:00')).toBe(new Date('2026-03-01T12:00').toISOString());
    const evening = new Date(2026, 2, 1, 20).getTime();
    const today = [new Date(2026, 2, 1, 9, 5).toISOString(), new Date(2026, 2, 1, 18, 30, 15).toISOString(), null, null];
    expect(['9:05', '18:30:15', '25:00', '9:5'].map((text) => momentOf(text, evening))).toEqual(today);
    expect([momentOf('Friday'), momentOf('')]).toEqual([null, null]);
    const noon = Date.parse('2026-03-10T12:00:00Z');
    const typed = ['3 h ago', '2h', '1 day', 'yesterday', '2 weeks ago', '30 min'];
    expect(typed.map((text) => momentOf(text, noon)?.slice(5, 16))).toEqual([
      '03-10T09:00',
      '03-10T10:00',
      '03-09T12:00',
      '03-09T12:00',
      '02-24T12:00',
      '03-10T11:30',
    ]);
    const sums = ['1 h 46 min', '90 min', '2 d', '1h46m ago', '1 day, 2 hours ago', '1.5 h', '90 s'];
    expect(sums.map((text) => momentOf(text, noon)?.slice(5, 19))).toEqual([
      '03-10T10:14:00',
      '03-10T10:30:00',
      '03-08T12:00:00',
      '03-10T10:14:00',
      '03-09T10:00:00',
      '03-10T10:30:00',
      '03-10T11:58:30',
    ]);
    expect(['3 apples ago', 'h ago', '1 h 46', '1 h 3 apples', '1 ago'].map((text) => momentOf(text))).toEqual([
      null,
      null,
      null,
      null,
      null,
    ]);
    expect([unreadableMoment(''), unreadableMoment(' 2 h ')]).toEqual([null, null]);
    expect(unreadableMoment('lately')).toContain('1 h 46 min');
    const then = new Date(2026, 2, 1, 18, 30).toISOString();
    const [same, later] = [new Date(2026, 5, 1).getTime(), new Date(2027, 5, 1).getTime()];
    expect(['1200', then].map((moment) => shortMoment(moment, same))).toEqual(['revision 1200', '1 Mar, 18:30']);
    expect(shortMoment(then, later)).toBe('1 Mar 2026, 18:30');
    const now = Date.parse('2026-03-10T12:00:00Z');
    expect(ago('2026-03-10T11:59:30Z', now)).toBe('just now');
    expect(ago('2026-03-10T09:00:00Z', now)).toBe('3 h ago');
    expect(ago('2026-03-01T12:00:00Z', now)).toBe('1 Mar 2026');
    const midday = new Date(2026, 2, 10, 12, 30, 55);
    const minutesAgo = (minutes: number) => new Date(midday.getTime() - minutes * 60_000).toISOString();
    expect(timeAndAgo(minutesAgo(14), midday.getTime())).toBe('12:16:55 · 14 min ago');
    expect(timeAndAgo(minutesAgo(13 * 60), midday.getTime())).toBe('9 Mar, 23:30:55 · 13 h ago');
    expect(timeAndAgo(minutesAgo(9 * 24 * 60), midday.getTime())).toBe('1 Mar 2026, 12:30:55');
    expect([signed(5), signed(-5)]).toEqual(['+5', '−5']);
  });

  it('an id of digits stays text in an address', () => {
    expect(parseSearch('?at=1200&target=next')).toEqual({ at: '1200', target: 'next' });
    expect(stringifySearch({ at: '1200', target: undefined, name: '' })).toBe('?at=1200');
  });
});

describe('what a publish brings or takes', () => {
  it('stands line by line, without JSON, what is nested further in', () => {
    expect(linesOfValue({ axe: 2, hero: { gold: 3, bag: [] }, tags: ['a'] })).toEqual([
      'axe 2',
      'hero',
      '  gold 3',
      '  bag',
      '    nothing',
      'tags',
      '  1 a',
    ]);
    expect(linesOfValue('sold', '  ')).toEqual(['  sold']);
  });

  it('is told without JSON: a group by its values, a table by its length', () => {
    expect(heldText({ id: 'event', type: 'group', name: 'Event', entries: { bonus: 3, title: 'Snow' } })).toBe('bonus 3, title Snow');
    expect(heldText({ id: 'axes', type: 'table', rows: [{ level: 1 }] })).toBe('a table of 1 row');
    expect(heldText({ type: 'number', min: 0, tags: ['a', 'b'], of: { kind: 'x' } })).toBe(
      'type number, min 0, tags (2 entries), of (1 field)',
    );
    expect(heldText(['a', 'b'])).toBe('a, b');
    expect(heldText([{ id: 1 }])).toBe('(1 entry)');
    expect(heldText(9)).toBe('9');
  });
});

describe('a refusal', () => {
  it('is told as what happened, what it means and what to do', () => {
    const refusal = refusalOf(409, {
      ok: false,
      error: { code: 'STALE_SAVE', message: 'Load it again', requestId: 'req_1', missing: 'x' },
    });
    expect(refusal).toEqual({ status: 409, code: 'STALE_SAVE', message: 'Load it again', requestId: 'req_1', details: { missing: 'x' } });
    expect(noticeOf(refusal, NOTICES)).toEqual({
      happened: 'Somebody else changed this document since you loaded it.',
      means: 'Nothing was changed.',
      toDo: 'Look at what it is now, and make your change to that.',
    });
  });

  it('trying again is offered where it may help', () => {
    const refused = (status: number, code: string) => mayPass(refusalOf(status, { error: { code, message: 'So it is' } }));
    expect([refused(503, 'BUSY'), refused(409, 'WRITE_CONFLICT'), refused(404, 'NOT_FOUND')]).toEqual([true, true, true]);
    expect([refused(400, 'INVALID_AT'), refused(404, 'AT_BEFORE_FIRST')]).toEqual([false, false]);
  });

  it('of anything else that answers still says something', () => {
    expect(refusalOf(502, null)).toMatchObject({ status: 502, code: 'UNKNOWN', message: 'The server answered with the status 502.' });
    expect(refusalOf(401, '<html>')).toMatchObject({ code: 'SIGNED_OUT' });
    expect(noticeOf(refusalOf(400, { error: { code: 'INVALID_KEY', message: 'No id' } }), NOTICES).happened).toBe('No id');
  });
});
