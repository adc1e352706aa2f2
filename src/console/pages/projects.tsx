import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, Navigate } from '@tanstack/react-router';
import { sessionQuery } from '../api/session.ts';
import { useWaitingIn } from '../frame/second-person.ts';
import { SignOut } from '../frame/sign-out.tsx';
import { Chip } from '../parts/chip.tsx';
import { Empty } from '../parts/page.tsx';
import icon from '../style/icon.svg';
import styles from './projects.module.css';

/** Projects of which it is asked what waits there. */
const MOST_ASKED = 20;

/** The projects of a person. Who has one alone arrives in it. */
export function ProjectsPage() {
  const { data } = useSuspenseQuery(sessionQuery);
  const [first, second] = data.projects;
  const waiting = useWaitingIn(second === undefined ? [] : data.projects.slice(0, MOST_ASKED));
  if (first !== undefined && second === undefined) return <Navigate to="/p/$project" params={{ project: first.id }} replace />;
  return (
    <main className={styles.page}>
      <div className={styles.head}>
        <img src={icon} alt="" />
        <h1>Projects</h1>
        {data.person.everywhere === 'owner' && <Link to="/people">People</Link>}
        <Link to="/account">{data.person.name}</Link>
        <SignOut />
      </div>
      {first === undefined ? (
        <Empty title="You have no project yet">
          <p>
            An owner gives you a role in one. Whoever runs the server makes the first: <code>savepoint project create NAME</code>
          </p>
        </Empty>
      ) : (
        <ul className={styles.list}>
          {data.projects.map(({ id, title, role }, place) => (
            <li key={id} className={styles.row}>
              <Link to="/p/$project" params={{ project: id }} className={styles.project}>
                <span className={styles.title}>{title}</span>
                <span className={styles.soft}>
                  {id} · {role}
                </span>
              </Link>
              {waiting[place] != null && (
                <Link to="/p/$project/publishes" params={{ project: id }} className={styles.waits}>
                  <Chip tone={(waiting[place]?.due ?? 0) > 0 ? 'past' : 'plain'}>{waiting[place]?.whole}</Chip>
                </Link>
              )}
            </li>
          ))}
        </ul>
      )}
    </main>
  );
}
