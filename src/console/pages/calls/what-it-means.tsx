import type { LoggedRequest } from '../../api/queries.ts';
import { codeOf } from '../../parts/code.ts';
import { Later } from '../../parts/later.tsx';

const MEANS = codeOf('means', () => import('./means.tsx').then((module) => module.Means));

/** What a refusal means for the player, and what to do. The words come when they are first asked for. */
export function WhatItMeans({ request }: { readonly request: LoggedRequest }) {
  return <Later code={MEANS} props={{ request }} />;
}
