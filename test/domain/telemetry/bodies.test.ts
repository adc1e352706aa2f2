import { describe, expect, test } from 'vitest';
import { analyticsEvent, categoryOf, storedType } from '../../../src/domain/telemetry/analytics.ts';
import { heartbeatEvent } from '../../../src/domain/telemetry/heartbeat.ts';
import { saveFailure } from '../../../src/domain/telemetry/save-failure.ts';
import { analyticsSetting, asKept, isCaptured } from '../../../src/domain/telemetry/switches.ts';
import { Refusal } from '../../../src/kernel/errors.ts';
import { isObject, type JsonObject, parseJson } from '../../../src/kernel/json.ts';

const PLAYER = '76561198000000001';

const codeOf = (decision: object) => (decision instanceof Refusal ? `${decision.status} ${decision.code}` : decision);
const track = (body: JsonObject, claimed: string | null = null) => analyticsEvent({ platformId: PLAYER, ...body }, claimed);
const typeOf = (body: JsonObject) => {
  const decision = track(body);
  return decision instanceof Refusal ? decision.code : decision.type;
};
const beat = (text: string, claimed: string | null = null) => {
  const body = parseJson(text);
  return heartbeatEvent(isObject(body) ? body : null, claimed);
};

describe('an analytics event', () => {
  test('keeps every field that games send', () => {
    const body = {
      type: 'quest_done',
      severity: null,
      label: 'Quest',
      message: 'm',
      stack: 's',
      context: { quest: 'q1' },
      playerName: 'Ada',
      sessionId: 's1',
      source: 'network-storage-library',
      libraryVersion: '1.2.3',
      packageIdent: 'org.game',
    };
    const { stack: _, ...kept } = body;
    expect(track(body)).toMatchObject({ ...kept, platformId: PLAYER, type: 'custom.quest_done', sentType: 'quest_done', stack: null });
  });

  test.each([
    [{ type: 'a.B' }, 'a.b'],
    [{ event: 'Boss Fight!' }, 'custom.boss-fight-'],
    [{ code: 'c1' }, 'custom.c1'],
    [{ type: ' ', event: 'e' }, 'custom.e'],
    [{ type: 7, event: 'e' }, 'custom.e'],
    [{ type: 'x', severity: 'Warning' }, 'warning.reported'],
    [{ severity: 'ERROR' }, 'error.reported'],
    [{ severity: 'session' }, 'session.heartbeat'],
    [{ severity: 'session', type: 'session.START' }, 'session.join'],
    [{ severity: 'session', type: 'session_end' }, 'session.leave'],
    [{ severity: 'session', type: 'disconnect' }, 'session.leave'],
    [{ type: 'network_storage_query:top', severity: '' }, 'custom.network_storage_query-top'],
    [{ type: 'endpoint.client_error', severity: 'info' }, 'endpoint.client_error'],
    [{ severity: 'loud', type: 'x' }, 'INVALID_ANALYTICS_EVENT'],
    [{ severity: 3, type: 'x' }, 'INVALID_ANALYTICS_EVENT'],
    [{ severity: 'custom' }, 'INVALID_ANALYTICS_EVENT'],
    [{ type: '  ' }, 'INVALID_ANALYTICS_EVENT'],
  ])('%j is stored as %s', (body, type) => {
    expect(typeOf(body)).toBe(type);
  });

  test('a type is cut to 80 characters and never inside a character', () => {
    expect(storedType(`a.${'x'.repeat(100)}`, null)).toHaveLength(80);
    expect(storedType(`a.${'x'.repeat(77)}\u{1f600}`, null)).toBe(`a.${'x'.repeat(77)}`);
    expect(storedType('y'.repeat(100), null)).toBe(`custom.${'y'.repeat(80)}`);
  });

  test.each([
    [{ platformId: '12345' }, null, '12345'],
    [{ platformId: '0' }, null, '0'],
    [{ platformId: '' }, '7656', '7656'],
    [{ platformId: 12345 }, '7656', '7656'],
    [{ platformId: 12345 }, null, '400 INVALID_KEY'],
    [{ platformId: '123' }, null, '400 INVALID_KEY'],
    [{ platformId: `1${'0'.repeat(32)}` }, null, '400 INVALID_KEY'],
    [{ platformId: 'abcd' }, '7656', '400 INVALID_KEY'],
    [{}, null, '400 INVALID_KEY'],
  ])('its player is text of digits, in the body or in the query: %j, %s', (body, claimed, expected) => {
    const decision = analyticsEvent({ type: 'x', ...body }, claimed);
    expect(decision instanceof Refusal ? codeOf(decision) : decision.platformId).toBe(expected);
  });

  test('ids of a studio’s own login are players, too', () => {
    const id = (platformId: string) => analyticsEvent({ platformId, type: 'x' }, null, /^user-.+$/);
    expect(id('user-ada')).toMatchObject({ platformId: 'user-ada' });
    expect(id('7656')).toMatchObject({ platformId: '7656' });
    for (const other of ['ada', 'user-a b', `user-${'x'.repeat(256)}`]) expect(id(other)).toMatchObject({ code: 'INVALID_KEY' });
  });

  test('the id is checked before the severity, and the severity before the type', () => {
    expect(codeOf(analyticsEvent({ severity: 'loud' }, null))).toBe('400 INVALID_KEY');
    expect(track({ severity: 'loud' })).toMatchObject({ message: expect.stringContaining('severity') });
  });

  test('only errors and warnings keep stacks, also those in the context', () => {
    const context = { stack: 'x', stackTrace: 'y', n: 1 };
    expect(track({ type: 'x', stack: 's', context })).toMatchObject({ stack: null, context: { n: 1 } });
    expect(track({ severity: 'error', stack: 's', context })).toMatchObject({ stack: 's', context });
  });

  test('other names are read where the first is missing', () => {
    expect(track({ type: 't', player_name: 'A', session_id: 's', data: 'text', performance: 60, session_seconds: 4 })).toMatchObject({
      playerName: 'A',
      sessionId: 's',
      context: 'text',
      fps: 60,
      sessionSeconds: 4,
      label: 'custom.t',
      source: 'manual',
    });
  });

  test('a category is what comes before the dot', () => {
    expect(['a.b', 'networkroster.x', 'plain', '.x'].map(categoryOf)).toEqual(['a', 'network', 'custom', 'custom']);
  });
});

describe('a heartbeat', () => {
  test.each([
    [`{"platformId":"${PLAYER}"}`, null, PLAYER],
    ['{"platformId":76561198000000001}', null, PLAYER],
    ['{"platformId":12}', null, '12'],
    ['{"platformId":"a"}', 'b', 'b'],
    ['[]', 'b', 'b'],
    ['{}', null, '400 MISSING_PLATFORM_ID'],
    ['{"platformId":""}', null, '400 MISSING_PLATFORM_ID'],
    ['{"platformId":true}', null, '400 MISSING_PLATFORM_ID'],
    ['{"platformId":"a/b"}', null, '400 INVALID_KEY'],
    ['{"platformId":1.5}', null, '400 INVALID_KEY'],
  ])('%s with query %s is of %s', (text, claimed, expected) => {
    const decision = beat(text, claimed);
    expect(decision instanceof Refusal ? codeOf(decision) : decision.platformId).toBe(expected);
  });

  test.each([
    ['"join"', 'join'],
    ['"HEARTBEAT"', 'heartbeat'],
    ['"Leave"', 'leave'],
    ['"disconnect"', 'leave'],
    ['"start"', 'heartbeat'],
    ['null', 'heartbeat'],
  ])('event %s is %s', (event, moment) => {
    expect(beat(`{"platformId":"p","event":${event}}`)).toMatchObject({ event: moment });
  });

  test('without a session it gets one of its player, and a number is an average', () => {
    expect(beat('{"platformId":"p","sessionId":null,"fps":60,"sessionSeconds":1.5}')).toMatchObject({
      sessionId: 'hb:p',
      fps: { average: 60 },
      sessionSeconds: 1.5,
    });
    expect(beat('{"platformId":"p","fps":-1}')).toMatchObject({ fps: null });
    expect(beat('{"platformId":"p","fps":{"avg":59.9}}')).toMatchObject({ fps: { avg: 59.9 } });
  });

  test('free members that are too large are left out', () => {
    const context = JSON.stringify({ text: 'x'.repeat(20_000) });
    expect(beat(`{"platformId":"p","context":${context},"performance":{"a":1}}`)).toMatchObject({ context: null, performance: { a: 1 } });
  });
});

describe('a failed save', () => {
  test('is accepted, whatever members it has', () => {
    const empty = { collectionId: '', recordKey: '', reason: '', expectedSeq: -1, observedSeq: -1, attempts: -1, platformId: null };
    expect(saveFailure({}, null)).toEqual(empty);
    expect(saveFailure({ collectionId: 7, attempts: 1.5, expectedSeq: '3' }, 'no/id')).toEqual(empty);
    const said = { collectionId: 'c', recordKey: 'k', reason: 'r', expectedSeq: 3, observedSeq: 2, attempts: 1 };
    expect(saveFailure(said, 'p')).toEqual({ ...said, platformId: 'p' });
  });
});

describe('the project’s setting `analytics`', () => {
  const analytics = (type: string) => {
    const data = track({ type, severity: null, stack: 's' });
    if (data instanceof Refusal) throw data;
    return { type: 'analytics.tracked', data } as const;
  };
  const error = () => {
    const data = track({ severity: 'error', stack: 's' });
    if (data instanceof Refusal) throw data;
    return { type: 'analytics.tracked', data } as const;
  };
  const heartbeat = () => {
    const data = heartbeatEvent(null, 'p');
    if (data instanceof Refusal) throw data;
    return { type: 'heartbeat.received', data } as const;
  };
  const failure = { type: 'save.failed', data: saveFailure({}, null) } as const;

  test('switches capture off by category, and everything but failed saves by `enabled`', () => {
    expect(isCaptured(analyticsSetting({}), analytics('x'))).toBe(true);
    expect(isCaptured(analyticsSetting({ enabled: false }), analytics('x'))).toBe(false);
    expect(isCaptured(analyticsSetting({ enabled: false }), heartbeat())).toBe(false);
    expect(isCaptured(analyticsSetting({ enabled: false }), failure)).toBe(true);
    expect(isCaptured(analyticsSetting({ captureSessions: false }), heartbeat())).toBe(false);
    expect(isCaptured(analyticsSetting({ captureErrors: false }), error())).toBe(false);
    expect(isCaptured(analyticsSetting({ captureErrors: false }), analytics('x'))).toBe(true);
    expect(isCaptured(analyticsSetting({ captureEndpointDiagnostics: false }), analytics('endpoint.client_error'))).toBe(false);
    expect(isCaptured(analyticsSetting({ managedVoice: false }), analytics('voice.activity'))).toBe(false);
    expect(isCaptured(analyticsSetting({ constructor: false }), analytics('constructor.x'))).toBe(true);
  });

  test('what is switched off stays off beside an invalid member that an earlier release accepted', () => {
    const stored = { enabled: false, retainErrorStacks: false, retentionDays: 7, captureEndpointCalls: 'yes' };
    expect(analyticsSetting(stored)).toMatchObject({ ...stored, captureEndpointCalls: false });
  });

  test('removes stacks if they are not to be kept', () => {
    expect(asKept(analyticsSetting({}), error())).toMatchObject({ data: { stack: 's' } });
    expect(asKept(analyticsSetting({ retainErrorStacks: false }), error())).toMatchObject({ data: { stack: null } });
  });

  test('says how long rows are kept: 90 days unless it says otherwise, 0 for ever', () => {
    expect(
      [{}, { retentionDays: 7 }, { retentionDays: 0 }, { retentionDays: -1 }, { retentionDays: 'x' }].map(
        (stored) => analyticsSetting(stored).retentionDays,
      ),
    ).toEqual([90, 7, 0, 90, 90]);
  });
});
