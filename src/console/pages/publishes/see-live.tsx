import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
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

/** Leads to the values that changed, as players have them now: to the first cell that is another. */
export function SeeLive({ changes, close }: SeeLiveProps) {
  const { project } = useView();
  const changed = changedValues(changes);
  // Nothing of it is kept for the page of values, which shows what is there when one comes.
  const read = useQuery({ ...valuesQuery({ project, at: undefined, target: 'live' }), enabled: changed.size > 0, gcTime: 0 });
  const listed = read.data === undefined ? [] : listedValues(read.data.served, null);
  return listed
    .filter(({ name }) => changed.has(name))
    .slice(0, MOST)
    .map(({ id, name }) => (
      <Link
        key={id}
        to="/p/$project/values/$value"
        params={{ project, value: id }}
        search={{ target: undefined, at: undefined, ...changed.get(name) }}
        target="_blank"
        onClick={close}
        className={buttonClass('plain', true)}
      >
        See {name} live ↗
      </Link>
    ));
}
