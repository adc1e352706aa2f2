import fc from 'fast-check';

/** Members that telemetry looks at, in every spelling. */
export const NAMES = [
  'platformId',
  'type',
  'event',
  'code',
  'severity',
  'label',
  'message',
  'stack',
  'stackTrace',
  'context',
  'data',
  'playerName',
  'player_name',
  'sessionId',
  'session_id',
  'sessionSeconds',
  'session_seconds',
  'durationSeconds',
  'source',
  'libraryVersion',
  'packageIdent',
  'fps',
  'performance',
  'collectionId',
  'recordKey',
  'reason',
  'expectedSeq',
  'observedSeq',
  'attempts',
] as const;

const likely = fc.constantFrom<unknown>(
  'session',
  'error',
  'WARNING',
  'info',
  'join',
  'leave',
  'session.start',
  'a.b',
  '76561198000000001',
  '',
  ' ',
  0,
  -1,
  1e308,
  -1e308,
  0.1,
  null,
  { $n: '7' },
  { stack: 1, endpointSlug: 'x'.repeat(300) },
  '\u{1f600}'.repeat(100),
  'it\'s {"quoted"}, \\ and NULL',
);
const value = fc.oneof(likely, fc.jsonValue({ maxDepth: 3 }), fc.string({ unit: 'binary', maxLength: 200 }).map(storable));

/** What no body may hold: U+0000 and halves of characters are refused where it is parsed. */
function storable(text: string): string {
  return text.replace(/[\0\ud800-\udfff]/g, '?');
}

/** The text of a JSON body that parses, with exact numbers among its values. */
export const anyBody: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: fc.dictionary(fc.constantFrom(...NAMES), value).map((body) => withoutBadText(JSON.stringify(body))) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 3 }).map(withoutBadText) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('{"platformId":76561198000000001,"fps":{"avg":59.94000000000000000001},"attempts":18446744073709551615}'),
  },
);

function withoutBadText(text: string): string {
  return text.replace(/\\u0000|\\ud[89a-f][0-9a-f]{2}/gi, '?').replaceAll('__proto__', 'proto');
}
