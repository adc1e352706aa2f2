import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { View } from './view.ts';

/** Follows the live stream. A page compares what comes with what it shows, and reads anew only when somebody wants it. */

export type LiveState = 'off' | 'live' | 'lost';

/** The value of a topic as of a revision of the log. */
export interface LiveMessage {
  readonly topic: string;
  readonly revision: number;
  /** Of a document: its save version; 0: there is none. */
  readonly version?: number;
  readonly value: unknown;
}

/** Topics of one page; what is beyond is not followed. */
const MOST = 20;

function whenSeen(changed: () => void): () => void {
  document.addEventListener('visibilitychange', changed);
  return () => document.removeEventListener('visibilitychange', changed);
}

/**
 * Whether somebody sees the page. One that nobody sees follows nothing: a browser has few connections to one server, and many pages may be
 * open.
 */
export function useIsSeen(): boolean {
  return useSyncExternalStore(whenSeen, () => document.visibilityState === 'visible');
}

/**
 * Hands on the present value of each topic, and each new one. A browser comes back by itself after a fault of the network, with the last id
 * that it saw, so nothing is missed; a stream that the server ends (the session is over, the role was taken) stays away.
 */
export function useLive(
  { project, target }: View,
  topics: readonly string[],
  isOn: boolean,
  got: (message: LiveMessage) => void,
): LiveState {
  const [state, setState] = useState<LiveState>('off');
  const told = useRef(got);
  told.current = got;
  const asked = new URLSearchParams(topics.slice(0, MOST).map((topic) => ['topic', topic]));
  if (target === 'next') asked.set('revisionTarget', 'next');
  const query = asked.toString();
  const isSeen = useIsSeen();
  const isAsked = isOn && isSeen && topics.length > 0;
  useEffect(() => {
    setState('off');
    if (!isAsked) return;
    const events = new EventSource(`/v3/live/${encodeURIComponent(project)}?${query}`);
    const on = <Data>(event: string, then: (data: Data) => void) =>
      events.addEventListener(event, ({ data }: MessageEvent<string>) => then(JSON.parse(data) as Data));
    events.addEventListener('open', () => setState('live'));
    events.addEventListener('error', () => setState('lost'));
    on<LiveMessage>('message', (message) => told.current(message));
    on<{ readonly stale: boolean }>('stale', ({ stale }) => setState(stale ? 'lost' : 'live'));
    on<{ readonly topic?: string }>('refused', ({ topic }) => {
      // Of one topic: the others go on.
      if (topic !== undefined) return;
      events.close();
      setState('lost');
    });
    return () => events.close();
  }, [project, query, isAsked]);
  return state;
}
