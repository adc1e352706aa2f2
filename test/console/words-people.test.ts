import { expect, it } from 'vitest';
import { deviceOf, placeOf } from '../../src/console/words/device.ts';
import { changeOfPerson, changerOf } from '../../src/console/words/person-change.ts';

it('a session is told by browser and system, also where a browser is made of another one', () => {
  const edge =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0';
  const phone =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';
  expect([edge, phone, 'curl/8.5.0', ''].map(deviceOf)).toEqual([
    'Edge on Windows',
    'Safari on iOS',
    'curl/8.5.0',
    'Something without a name',
  ]);
  expect([placeOf(null), placeOf('192.0.2.7')]).toEqual(['the server’s own machine', '192.0.2.7']);
});

it('what changed among people is a sentence each, and who is forgotten stays an id', () => {
  const said = (change: object) => {
    const whole = { revision: 1, at: '', by: { kind: 'person', person: 'per_1', name: 'ada' }, person: 'per_2', name: 'bo', ...change };
    return `${changerOf(whole)} ${changeOfPerson(whole as Parameters<typeof changeOfPerson>[0], [{ id: 'p1', title: 'Market' }])}`;
  };
  expect([
    said({ what: 'letIn', project: 'p1', role: 'viewer', by: { kind: 'operator' } }),
    said({ what: 'role', project: '*', role: 'owner' }),
    said({ what: 'role', project: 'p1', role: 'none' }),
    said({ what: 'reset' }),
    said({ what: 'linked', issuer: 'https://login.example', by: { kind: 'person', person: 'per_2', name: 'bo' } }),
    said({ what: 'unlinked', issuer: 'https://login.example' }),
    said({ what: 'signedOut', sessions: 'one' }),
    said({ what: 'signedOut', sessions: 'all' }),
    said({ what: 'linkMade', by: { kind: 'operator' } }),
    said({ what: 'removed', by: { kind: 'person', person: 'per_3' } }),
    said({ what: 'forgotten', name: undefined }),
  ]).toEqual([
    'The operator let bo in as viewer in Market',
    'ada made bo owner in every project',
    'ada took the role of bo in Market',
    'ada let bo in anew, by a link that forgot the password',
    'bo linked an account of https://login.example',
    'ada forgot the account of bo at https://login.example',
    'ada ended a session of bo',
    'ada signed bo out everywhere',
    'The operator made a link on the machine that signs bo in',
    'per_3 removed bo',
    'ada had the log forget who per_2 was',
  ]);
});
