import { evolveGuest, type GuestEvent, isGuestEvent } from '../../../src/domain/guest/evolve.ts';
import type { GuestState } from '../../../src/domain/states.ts';
import type { Projection } from '../../batch.ts';
import type { Transaction } from '../../tables.ts';

const LOAD = 'SELECT guest, body::text AS text FROM {guests} WHERE project = $1 AND guest = ANY ($2)';

const UPSERT = `
INSERT INTO {guests} (project, guest, body, revision)
SELECT $1, guest, body::json, revision FROM unnest($2::text[], $3::text[], $4::bigint[]) AS w (guest, body, revision)
ON CONFLICT (project, guest) DO UPDATE SET body = excluded.body, revision = excluded.revision`;

const UNNAME = `
DELETE FROM {guest_names} n USING unnest($2::text[], $3::text[]) AS w (kind, name)
WHERE n.project = $1 AND n.kind = w.kind AND n.name = w.name`;

const NAME = `
INSERT INTO {guest_names} (project, kind, name, guest, revision)
SELECT $1, kind, name, guest, revision FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[]) AS w (kind, name, guest, revision)`;

/** Guests, and the recovery codes and accounts that lead to them. */
export const guests: Projection = {
  name: 'guests',
  kind: 'state',
  derived: false,
  async project({ events }, tx) {
    const mine = events.filter(isGuestEvent);
    if (mine.length === 0) return;
    await storeGuests(mine, tx);
    await storeNames(mine, tx);
  },
};

/** The guest, from its row. */
export function guestFrom(text: string): GuestState {
  return JSON.parse(text) as GuestState;
}

async function storeGuests(events: readonly GuestEvent[], tx: Transaction): Promise<void> {
  const ids = [...new Set(events.map(({ data }) => data.guest))];
  const rows = await tx.run<{ guest: string; text: string }>('guests-load', LOAD, [ids]);
  const before = new Map(rows.map(({ guest, text }) => [guest, guestFrom(text)]));
  const after = new Map<string, { readonly state: GuestState; readonly revision: number }>();
  for (const event of events) {
    const { guest } = event.data;
    const state = evolveGuest(after.get(guest)?.state ?? before.get(guest) ?? null, event);
    if (state !== null) after.set(guest, { state, revision: event.revision });
  }
  if (after.size === 0) return;
  const written = [...after.values()];
  const bodies = written.map(({ state }) => JSON.stringify(state));
  await tx.run('guests-upsert', UPSERT, [[...after.keys()], bodies, written.map(({ revision }) => revision)]);
}

interface Named {
  readonly kind: 'code' | 'account';
  readonly name: string;
  /** `null` when the name leads to no guest. */
  readonly guest: string | null;
  readonly revision: number;
}

async function storeNames(events: readonly GuestEvent[], tx: Transaction): Promise<void> {
  const last = new Map(events.flatMap(namedBy).map((named) => [`${named.kind} ${named.name}`, named]));
  if (last.size === 0) return;
  const changed = [...last.values()];
  await tx.run('guest-names-remove', UNNAME, [changed.map(({ kind }) => kind), changed.map(({ name }) => name)]);
  const kept = changed.filter(({ guest }) => guest !== null);
  if (kept.length === 0) return;
  await tx.run('guest-names-insert', NAME, [
    kept.map(({ kind }) => kind),
    kept.map(({ name }) => name),
    kept.map(({ guest }) => guest ?? ''),
    kept.map(({ revision }) => revision),
  ]);
}

function namedBy({ type, data, revision }: GuestEvent): readonly Named[] {
  const { guest } = data;
  if (type === 'guest.codeIssued') return [{ kind: 'code', name: data.hash, guest, revision }];
  if (type === 'guest.linked') return [{ kind: 'account', name: data.account, guest, revision }];
  return type === 'guest.unlinked' ? [{ kind: 'account', name: data.account, guest: null, revision }] : [];
}
