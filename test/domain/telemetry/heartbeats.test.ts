import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HeartbeatReceived, TelemetryEvent } from '../../../src/domain/telemetry/events.ts';
import { foldedEvent, type Gathering, gathered, gatheringFrom, nextGathering, repeats } from '../../../src/domain/telemetry/heartbeats.ts';
import { evolvePlayer, isOnline, type Player } from '../../../src/domain/telemetry/player.ts';
import { heartbeat } from './given.ts';

const START = 1_700_000_000_000;
const FOLD_MS = 300_000;

const folded = (gathering: Gathering, nextBy: number): TelemetryEvent => ({
  type: 'heartbeats.folded',
  data: foldedEvent(gathering, nextBy),
  revision: 0,
  id: 'f',
  metadata: { schemaVersion: 1, recordedAt: nextBy, actor: { kind: 'public' } },
});

/** What a node stores of heartbeats that come one after another. */
function stored(beats: readonly { readonly at: number; readonly data: HeartbeatReceived }[]): readonly TelemetryEvent[] {
  const events: TelemetryEvent[] = [];
  let open: Gathering | null = null;
  const close = () => {
    if (open !== null && open.count > 0) events.push(folded(open, open.lastAt + 60_000));
    open = null;
  };
  for (const { at, data } of beats) {
    if (open !== null && repeats(open, data, at)) {
      open = gathered(open, data, at);
      if (at - open.storedAt < FOLD_MS) continue;
      events.push(folded(open, at + FOLD_MS));
      open = nextGathering(open, at);
      continue;
    }
    close();
    events.push(heartbeat(at, data));
    if (data.event !== 'leave') open = gatheringFrom(data, at, null);
  }
  close();
  return events;
}

const played = (events: readonly TelemetryEvent[]) => events.reduce<Player | null>(evolvePlayer, null);

const beats = fc
  .array(
    fc.record({
      passed: fc.integer({ min: 0, max: 130_000 }),
      event: fc.constantFrom('heartbeat' as const, 'heartbeat' as const, 'heartbeat' as const, 'join' as const, 'leave' as const),
      sessionId: fc.constantFrom('s1', 's1', 's1', 's2'),
      playerName: fc.constantFrom(null, null, 'Ada', 'Bo'),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .chain((all) => fc.boolean().map((tells) => ({ all, tells })))
  .map(({ all, tells }) => {
    let at = START;
    return all.map(({ passed, ...rest }) => {
      at += passed;
      return { at, data: heartbeat(at, { ...rest, sessionSeconds: tells ? (at - START) / 1000 : null }).data };
    });
  });

describe('heartbeats that a node gathers', () => {
  it('add up to what they would have added one by one', () => {
    fc.assert(
      fc.property(beats, (all) => {
        const alone = played(all.map(({ at, data }) => heartbeat(at, data)));
        const together = played(stored(all));
        expect(together?.stats).toEqual(alone?.stats);
        const { online, lastSeen, sessionId, sessionCount, events, playerName, lastHeartbeat } = alone?.profile ?? {};
        expect(together?.profile).toMatchObject({ online, lastSeen, sessionId, sessionCount, events, playerName, lastHeartbeat });
        expect(together?.profile.totalSeconds).toBeCloseTo(alone?.profile.totalSeconds ?? 0, 6);
        expect(together?.profile.sessionSeconds).toBeCloseTo(alone?.profile.sessionSeconds ?? 0, 6);
      }),
    );
  });

  it('are far fewer events: an hour with one every 30 s makes a dozen', () => {
    const hour = Array.from({ length: 120 }, (_, index) => ({ at: START + index * 30_000, data: heartbeat(0).data }));
    expect(stored(hour).length).toBeLessThanOrEqual(13);
  });

  it('on two nodes that a player reaches by turns are not counted twice', () => {
    const first = heartbeat(START);
    let a = gatheringFrom(first.data, START, null);
    let b = gatheringFrom(first.data, START + 30_000, null);
    for (let n = 1; n <= 4; n += 1) a = gathered(a, first.data, START + n * 60_000);
    for (let n = 1; n <= 4; n += 1) b = gathered(b, first.data, START + 30_000 + n * 60_000);
    const player = played([first, heartbeat(START + 30_000), folded(a, START), folded(b, START)]);
    expect(player?.stats?.totalSeconds).toBe(2 + 270);
  });

  it('say until when the player counts as present, and a leave ends that', () => {
    const nextBy = START + FOLD_MS + 65_000;
    const there = played([heartbeat(START, { nextBy })]);
    expect(there && isOnline(there.profile, START + FOLD_MS)).toBe(true);
    expect(there && isOnline(there.profile, nextBy + 1)).toBe(false);
    const gone = evolvePlayer(there, folded(gatheringFrom(heartbeat(START).data, START, null), START + 60_000));
    expect(gone && isOnline(gone.profile, START + 60_001)).toBe(false);
    expect(gone?.stats).toEqual(there?.stats);
  });

  it('hold little of what a game sends with them', () => {
    const performance = { big: 'x'.repeat(10_000) };
    const data = heartbeat(START, { performance, context: performance, fps: performance }).data;
    expect(JSON.stringify(gathered(gatheringFrom(data, START, null), data, START)).length).toBeLessThan(1_000);
  });
});
