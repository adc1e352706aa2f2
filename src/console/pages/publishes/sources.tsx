import { Link } from '@tanstack/react-router';
import { useView } from '../../frame/view.ts';
import { CardBody } from '../../parts/page.tsx';
import { definitionName } from '../../words/publish.ts';
import styles from './publishes.module.css';

interface SourcesProps {
  readonly changes: readonly { readonly kind: string; readonly id: string }[];
  /** The sides, as the page of a definition takes them: `live`, `next`, or a revision. */
  readonly before: string;
  readonly after: string;
  readonly target: 'live' | 'next';
}

/** Leads to each definition as source, before and after. Tests have no page of their own. */
export function Sources({ changes, before, after, target }: SourcesProps) {
  const { project } = useView();
  const sources = changes.filter(({ kind }) => kind !== 'tests');
  if (sources.length === 0) return null;
  return (
    <CardBody>
      <div className={styles.sources}>
        <p className={styles.soft}>As source:</p>
        <ul className={styles.sources}>
          {sources.map(({ kind, id }) => (
            <li key={`${kind} ${id}`}>
              <Link
                to="/p/$project/definitions/$kind/$id"
                params={{ project, kind, id }}
                search={{ show: undefined, a: before, b: after, target: target === 'next' ? 'next' : undefined }}
              >
                {definitionName({ kind, id })}
              </Link>
            </li>
          ))}
        </ul>
      </div>
    </CardBody>
  );
}
