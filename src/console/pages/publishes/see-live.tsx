import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { valuesQuery } from '../../api/values.ts';
import { useView } from '../../frame/view.ts';
import { buttonClass } from '../../parts/button.tsx';
import { valueNames } from '../../words/publish.ts';
import { listedValues } from '../../words/sheet.ts';
import type { DefinitionChange } from './changes.tsx';

/** Groups and tables that are led to. */
const MOST = 3;

/** Leads to the values that changed, as players have them now. */
export function SeeLive({ changes, close }: { readonly changes: readonly DefinitionChange[]; readonly close: () => void }) {
  const { project } = useView();
  const names = valueNames(changes);
  // Nothing of it is kept for the page of values, which shows what is there when one comes.
  const read = useQuery({ ...valuesQuery({ project, at: undefined, target: 'live' }), enabled: names.size > 0, gcTime: 0 });
  const listed = read.data === undefined ? [] : listedValues(read.data.served, null);
  return listed
    .filter(({ name }) => names.has(name))
    .slice(0, MOST)
    .map(({ id, name }) => (
      <Link
        key={id}
        to="/p/$project/values/$value"
        params={{ project, value: id }}
        search={{ target: undefined }}
        target="_blank"
        onClick={close}
        className={buttonClass('plain', true)}
      >
        See {name} live ↗
      </Link>
    ));
}
