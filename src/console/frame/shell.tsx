import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, Outlet, useNavigate } from '@tanstack/react-router';
import { Suspense, useEffect, useRef, useState } from 'react';
import type { Approval } from '../api/approvals.ts';
import { sessionQuery } from '../api/session.ts';
import { type Target, targetIn } from '../api/view.ts';
import { buttonClass } from '../parts/button.tsx';
import { Chip } from '../parts/chip.tsx';
import { classes } from '../parts/classes.ts';
import type { codeOf } from '../parts/code.ts';
import { Later } from '../parts/later.tsx';
import { Empty, Waiting } from '../parts/page.tsx';
import { Popup } from '../parts/popup.tsx';
import { useStanding } from '../parts/standing.ts';
import { tellWaiting } from '../parts/title.ts';
import icon from '../style/icon.svg';
import { localTime, momentText } from '../words/time.ts';
import { FindBox } from './find-box.tsx';
import { Moment } from './moment.tsx';
import { usePages } from './pages.ts';
import { Palette } from './palette.tsx';
import { useSecondPersonRule } from './second-person.ts';
import styles from './shell.module.css';
import { SignOut } from './sign-out.tsx';
import { Framed } from './states.tsx';
import { useBeginning } from './then.tsx';
import { useProject, useView } from './view.ts';

interface ShellProps {
  /** Tells whoever asked for approval what becomes of it, and whoever may approve that they are asked. */
  readonly asked: ReturnType<typeof codeOf<{ readonly own: Approval | null; readonly due: readonly Approval[] }>>;
}

/** What stands around every page of a project. */
export function Shell({ asked }: ShellProps) {
  const view = useView();
  const { role } = useProject();
  const pages = usePages();
  useEffect(() => {
    // Without it the page does all else.
    const kept = import('./kept-focus.ts').then(
      ({ keepFocus }) => keepFocus(),
      () => () => undefined,
    );
    return () => void kept.then((leave) => leave());
  }, []);
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#main">
        Skip to the page
      </a>
      <header className={styles.header}>
        <Link to="/" className={styles.brand} aria-label="Savepoint, all projects" search={{ at: undefined, target: undefined }}>
          <img src={icon} alt="" />
          <span className={styles.brandName}>Savepoint</span>
        </Link>
        <ProjectSwitch />
        <TargetSwitch />
        <FindBox />
        <div className={styles.end}>
          <Moment />
          <PersonMenu />
        </div>
      </header>
      <Palette />
      <div className={styles.above}>
        <Banner />
        <div role="status">
          <Told code={asked} />
        </div>
      </div>
      <nav className={styles.nav} aria-label="Pages">
        {pages.map(({ to, name, about }) => (
          <Link
            key={to}
            to={to}
            params={view}
            title={about}
            activeOptions={{ exact: to === '/p/$project', includeSearch: false }}
            ref={shownIfActive}
          >
            {name}
            {to === '/p/$project/publishes' && <Waits />}
          </Link>
        ))}
      </nav>
      <main className={styles.main} id="main" tabIndex={-1}>
        <Suspense fallback={<Waiting what="the page" />}>
          <Framed value>{role === '' ? <NoRole project={view.project} /> : <Outlet />}</Framed>
        </Suspense>
      </main>
    </div>
  );
}

/** On a phone the pages are a row that is wider than the screen. Where things are is known once the page is laid out anyway. */
function shownIfActive(link: HTMLAnchorElement | null): void {
  if (link?.dataset['status'] === 'active') requestAnimationFrame(() => link.scrollIntoView({ block: 'nearest', inline: 'center' }));
}

/** How much waits there for a second person, or for who makes it live. It is asked once the page stands, which comes first. */
function Waits() {
  return useStanding() && <Waiters />;
}

function Waiters() {
  const { waiting } = useSecondPersonRule();
  const due = waiting?.due ?? 0;
  useEffect(() => {
    tellWaiting(due);
    return () => tellWaiting(0);
  }, [due]);
  if (waiting === null) return null;
  return (
    <>
      {' '}
      <Chip tone={waiting.due > 0 ? 'past' : 'plain'} title={waiting.whole}>
        {waiting.short}
      </Chip>
    </>
  );
}

function Told({ code }: { readonly code: ShellProps['asked'] }) {
  return useStanding() && <ToldAsked code={code} />;
}

function ToldAsked({ code }: { readonly code: ShellProps['asked'] }) {
  const { own, due } = useSecondPersonRule();
  // Once it is told, it stays: what is undone from there may be decided in it while nothing is left to tell.
  const isTold = useRef(false);
  isTold.current ||= own !== null || due.length > 0;
  return isTold.current && <Later code={code} props={{ own, due }} />;
}

function NoRole({ project }: { readonly project: string }) {
  return (
    <Empty isPage title={`You have no role in ${project}`}>
      <p>
        Either there is no such project, or nobody gave you a role in it. An owner does that. <Link to="/">Your projects</Link>
      </p>
    </Empty>
  );
}

function ProjectSwitch() {
  const { project } = useView();
  const { data } = useSuspenseQuery(sessionQuery);
  const navigate = useNavigate();
  return (
    <select
      className={styles.project}
      aria-label="Project"
      value={project}
      onChange={({ target }) => void navigate({ to: '/p/$project', params: { project: target.value }, search: { at: undefined } })}
    >
      {data.projects.map(({ id, title }) => (
        <option key={id} value={id}>
          {title}
        </option>
      ))}
    </select>
  );
}

const MEANS: Readonly<Record<Target, string>> = {
  live: 'What players have',
  next: 'What is staged: definitions that are not live yet, and the data of who tries them',
};

function TargetSwitch() {
  const { target } = useView();
  const navigate = useNavigate();
  const choose = (chosen: Target) => void navigate({ to: '.', search: (before: object) => ({ ...before, target: targetIn(chosen) }) });
  return (
    <fieldset className={styles.targets}>
      <legend className="visually-hidden">Which definitions and data</legend>
      {(['live', 'next'] as const).map((each) => (
        <button
          key={each}
          type="button"
          className={styles.target}
          data-target={each}
          aria-pressed={each === target}
          title={MEANS[each]}
          onClick={() => choose(each)}
        >
          {each}
        </button>
      ))}
    </fieldset>
  );
}

/** What is looked at, where that is not simply live and now. */
function Banner() {
  const { at, target } = useView();
  const navigate = useNavigate();
  const beginning = useBeginning();
  if (at === undefined && target === 'live') return null;
  const back = (name: 'at' | 'target') => void navigate({ to: '.', search: (before: object) => ({ ...before, [name]: undefined }) });
  const moment = at === undefined ? '' : momentText(at);
  return (
    <div className={classes(styles.banner, at === undefined ? styles.staged : styles.past)} role="status">
      {at === undefined ? (
        <>
          <span>This is next: what is staged, not what players have.</span>
          <button type="button" onClick={() => back('target')}>
            Back to live
          </button>
        </>
      ) : (
        <>
          {beginning === null ? (
            <span>
              This is the past: {target === 'next' ? 'next ' : ''}as it was at {moment}.
            </span>
          ) : (
            <>
              <span>
                There was nothing yet at {moment}: this project began at {localTime(beginning)}.
              </span>
              <button type="button" onClick={() => void navigate({ to: '.', search: (before: object) => ({ ...before, at: beginning }) })}>
                Look at its beginning
              </button>
            </>
          )}
          <button type="button" onClick={() => back('at')}>
            Back to now
          </button>
        </>
      )}
    </div>
  );
}

function PersonMenu() {
  const { data } = useSuspenseQuery(sessionQuery);
  const { role } = useProject();
  const [isOpen, setOpen] = useState(false);
  return (
    <Popup
      label={data.person.name}
      className={styles.person}
      title={data.person.name}
      about={`${role === '' ? 'No role in this project' : `Role in this project: ${role}`}. Savepoint ${data.version}.`}
      isOpen={isOpen}
      setOpen={setOpen}
    >
      <div className={styles.row}>
        <Link to="/account" className={buttonClass()} search={{ at: undefined, target: undefined }}>
          Your account
        </Link>
        <SignOut />
      </div>
    </Popup>
  );
}
