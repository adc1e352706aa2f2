import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { valuesQuery } from '../../api/values.ts';
import { useView } from '../../frame/view.ts';
import { buttonClass } from '../../parts/button.tsx';
import { changedValues } from '../../words/changed-values.ts';
import { listedValues } from '../../words/sheet.ts';
import type { DefinitionChange } from './changes.tsx';

/** Groups and tables that are led to. */
const MOST = 3;

interface SeeLiveProps {
  readonly changes: readonly DefinitionChange[];
  /** Somebody goes there. */
  readonly close?: () => void;
}

/**
 * Leads to the values that changed, as players have them now: to the first cell that is another. Until it is known under which id a value
 * is kept, its name leads to it among all values: so nothing comes late under one's eyes.
 */
export function SeeLive({ changes, close }: SeeLiveProps) {
  const { project, at, target } = useView();
  // Whoever is there sees it.
  const here = useLocation({ select: ({ pathname }) => (at === undefined && target === 'live' ? pathname : '') });
  const changed = changedValues(changes);
  // Nothing of it is kept for the page of values, which shows what is there when one comes.
  const read = useQuery({ ...valuesQuery({ project, at: undefined, target: 'live' }), enabled: changed.size > 0, gcTime: 0 });
  const ids = read.data === undefined ? null : new Map(listedValues(read.data.served, null).map(({ id, name }) => [name, id]));
  const ofLive = { target: undefined, at: undefined } as const;
  const look = { target: '_blank', onClick: close, className: buttonClass('plain', true) } as const;
  return [...changed]
    .filter(([name]) => ids === null || ids.has(name))
    .filter(([name]) => !here.endsWith(`/values/${encodeURIComponent(ids?.get(name) ?? name)}`))
    .slice(0, MOST)
    .map(([name, place]) => {
      const id = ids?.get(name);
      return id === undefined ? (
        <Link key={name} to="/p/$project/values" params={{ project }} search={{ ...ofLive, find: name }} {...look}>
          See {name} live ↗
        </Link>
      ) : (
        <Link key={name} to="/p/$project/values/$value" params={{ project, value: id }} search={{ ...ofLive, ...place }} {...look}>
          See {name} live ↗
        </Link>
      );
    });
}
