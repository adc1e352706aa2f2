import { expectOk, managePath, type Project, secretHeaders } from '../../../infra/harness/project.ts';
import { patiently } from './checks.ts';

/** What the crash loop writes to: counters changed by operations, whole saves, one endpoint that changes two documents, one feed. */
const MARKS = { type: 'array', items: { type: 'string' } };

const COLLECTIONS = [
  collection('crash_counters', 'per-platformid', { n: { type: 'number', default: 0 }, marks: MARKS }),
  collection('crash_saves', 'per-platformid', { seq: { type: 'number' }, mark: { type: 'string' } }),
  collection('crash_players', 'per-platformid', { gold: { type: 'number', _ledger: true }, marks: MARKS }),
  collection('crash_towns', 'global', { n: { type: 'number' }, marks: MARKS }),
  collection('crash_feed', 'global', { mark: { type: 'string' } }),
];

const GRANT = {
  id: 'crash-grant',
  slug: 'crash-grant',
  name: 'Grant',
  enabled: true,
  requiresSecretKey: false,
  method: 'POST',
  steps: [
    { id: 'player', type: 'read', collection: 'crash_players', key: '{{input.player}}' },
    {
      id: 'pay',
      type: 'write',
      collection: 'crash_players',
      key: '{{input.player}}',
      ops: [
        { op: 'inc', path: 'gold', value: 1, source: '{{input.mark}}' },
        { op: 'push', path: 'marks', value: '{{input.mark}}' },
      ],
    },
    {
      id: 'count',
      type: 'write',
      collection: 'crash_towns',
      key: '{{input.town}}',
      ops: [
        { op: 'inc', path: 'n', value: 1 },
        { op: 'push', path: 'marks', value: '{{input.mark}}' },
      ],
    },
  ],
  response: { status: 200, body: { ok: true, mark: '{{input.mark}}' } },
};

export async function publishDefinitions(project: Project): Promise<void> {
  for (const [route, body] of [
    ['collections', COLLECTIONS],
    ['endpoints', [GRANT]],
  ] as const) {
    const put = () => project.http.send('PUT', managePath(project, route), { headers: secretHeaders(project), body });
    await expectOk(`PUT ${route}`, patiently(put));
  }
}

function collection(id: string, collectionType: string, schema: object): object {
  return { id, name: id, collectionType, accessMode: 'public', rateLimits: { mode: 'none' }, schema };
}
