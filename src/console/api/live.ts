import { useEffect, useRef, useState } from 'react';
import type { View } from '../frame/view.ts';

/** Follows the live stream: that something moved is told, and what is shown is read anew only when somebody wants it. */

export type LiveState = 'off' | 'live' | 'lost';

/** Topics of one page; what is beyond is not followed. */
const MOST = 20;

/**
 * Calls `moved` for each change of the topics after their present values. A browser comes back by itself after a fault of the network, with the
 * last id that it saw, so nothing is missed; a stream that the server ends (the session is over, the role was taken) stays away.
 */
export function useLive({ project, target }: View, topics: readonly string[], isOn: boolean, moved: () => void): LiveState {
  const [state, setState] = useState<LiveState>('off');
  const told = useRef(moved);
  told.current = moved;
  const asked = new URLSearchParams(topics.slice(0, MOST).map((topic) => ['topic', topic]));
  if (target === 'next') asked.set('revisionTarget', 'next');
  const query = asked.toString();
  const isAsked = isOn && topics.length > 0;
  useEffect(() => {
    setState('off');
    if (!isAsked) return;
    const seen = new Set<string>();
    const events = new EventSource(`/v3/live/${encodeURIComponent(project)}?${query}`);
    events.addEventListener('open', () => setState('live'));
    events.addEventListener('error', () => setState('lost'));
    events.addEventListener('message', ({ data }: MessageEvent<string>) => {
      const { topic } = JSON.parse(data) as { readonly topic: string };
      if (seen.has(topic)) told.current();
      seen.add(topic);
    });
    events.addEventListener('resync', () => told.current());
    events.addEventListener('stale', ({ data }: MessageEvent<string>) =>
      setState((JSON.parse(data) as { readonly stale: boolean }).stale ? 'lost' : 'live'),
    );
    events.addEventListener('refused', ({ data }: MessageEvent<string>) => {
      const { topic } = JSON.parse(data) as { readonly topic?: string };
      if (topic !== undefined) return;
      events.close();
      setState('lost');
    });
    return () => events.close();
  }, [project, query, isAsked]);
  return state;
}
