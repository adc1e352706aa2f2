import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { type ListedPerson, peopleQuery } from '../../api/people.ts';
import { may, sessionQuery } from '../../api/session.ts';
import { OfNow } from '../../frame/then.tsx';
import { useIsPast } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { classes } from '../../parts/classes.ts';
import { Failed } from '../../parts/notice.tsx';
import { Card, Empty, Page, Waiting } from '../../parts/page.tsx';
import table from '../../parts/table.module.css';
import { Table } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { placeOfRole } from '../../words/role.ts';
import { DoneBy } from '../named.tsx';
import { InviteDialog, RemoveDialog, ResetDialog, RolesDialog, SessionsDialog } from './dialogs.tsx';
import { PeopleHistory } from './history.tsx';
import styles from './people.module.css';

const ACTS = { name: 'What to do', isHidden: true };

type Act = 'roles' | 'reset' | 'sessions' | 'remove';
const DIALOGS = { roles: RolesDialog, reset: ResetDialog, sessions: SessionsDialog, remove: RemoveDialog } as const;

/** Who may sign in and what for, for owners and auditors, and what an owner does about it. */
export function PeoplePage() {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const isAnywhere = (letter: 'r' | 'w') => session.projects.some((project) => may(project, 'people', letter));
  const mayManage = session.person.everywhere === 'owner' || isAnywhere('w');
  const isTold = mayManage || session.person.everywhere === 'auditor' || isAnywhere('r');
  const isPast = useIsPast();
  const [isInviting, setInviting] = useState(false);
  return (
    <Page
      name="People"
      title="People"
      sub="Who may sign in to this console, and what they may do in which project."
      actions={
        mayManage &&
        !isPast && (
          <Button look="main" onClick={() => setInviting(true)}>
            Invite somebody…
          </Button>
        )
      }
    >
      <OfNow>These are the people and roles of now, which nobody changes from the past; below is how they came to be so.</OfNow>
      <Card title="People">
        {isTold ? (
          <PeopleTable mayManage={mayManage} />
        ) : (
          <Empty title="People are managed by owners">
            Ask an owner of a project to invite somebody, or to give you another role. Your own password and sessions are under your name.
          </Empty>
        )}
      </Card>
      {isTold && <PeopleHistory />}
      {isInviting && <InviteDialog close={() => setInviting(false)} />}
    </Page>
  );
}

function PeopleTable({ mayManage }: { readonly mayManage: boolean }) {
  const people = useQuery(peopleQuery);
  const [chosen, setChosen] = useState<{ readonly act: Act; readonly id: string } | null>(null);
  if (people.isPending) return <Waiting what="the people" />;
  if (people.isError) return <Failed error={people.error} again={() => void people.refetch()} />;
  const person = people.data.find(({ id }) => id === chosen?.id);
  const Act = chosen === null ? null : DIALOGS[chosen.act];
  return (
    <>
      <Table
        folds
        name="People"
        heads={['Name', 'Roles', 'Signed in last', ...(mayManage ? ['Last used'] : []), 'Since', ...(mayManage ? [ACTS] : [])]}
      >
        {people.data.map((each) => (
          <Row key={each.id} person={each} choose={mayManage ? (act) => setChosen({ act, id: each.id }) : null} />
        ))}
      </Table>
      {Act !== null && person !== undefined && <Act person={person} close={() => setChosen(null)} />}
    </>
  );
}

/** `choose`: what whoever looks may do with people; `null`: nothing. */
function Row({ person, choose }: { readonly person: ListedPerson; readonly choose: ((act: Act) => void) | null }) {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const isPast = useIsPast();
  // The same page stands outside of any project.
  const { project: here } = useParams({ strict: false });
  const mayAsk = session.projects.some((project) => project.id === here && may(project, 'history', 'r'));
  const { id, name, email, roles, usedAt, signedInAt, neverSignedIn, addedAt, hasPassword, isLinked, isGoverned } = person;
  const act = (which: Act, label: string) => (
    <Button isSmall look="quiet" onClick={() => choose?.(which)} aria-label={`${label} of ${name}`}>
      {label}
    </Button>
  );
  return (
    <tr>
      <td className={classes(table.wide, styles.who)}>
        <span className={styles.name}>{name}</span> {id === session.person.id && <Chip tone="live">you</Chip>}
        {email !== null && <div className={table.soft}>{email}</div>}
        {isLinked === true && <div className={table.soft}>signs in at the issuer</div>}
        {hasPassword === false && isLinked === false && <div className={table.soft}>no password, by a link</div>}
        {mayAsk && (
          <div>
            <DoneBy who={id}>What they did</DoneBy>
          </div>
        )}
      </td>
      <td>
        <ul className={styles.roles}>
          {Object.entries(roles).map(([project, role]) => (
            <li key={project}>
              <Chip>{role}</Chip> <span className={table.soft}>{placeOfRole(project, session.projects)}</span>
            </li>
          ))}
        </ul>
      </td>
      <td className={table.tight} data-head="Signed in last">
        {signedInAt === null ? <span className={table.soft}>{neverSignedIn ? 'never yet' : 'not known'}</span> : <Ago at={signedInAt} />}
      </td>
      {choose !== null && (
        <td className={table.tight} data-head="Last used">
          {usedAt === null ? <span className={table.soft}>{isGoverned ? 'not signed in' : '–'}</span> : <Ago at={usedAt} />}
        </td>
      )}
      <td className={table.tight} data-head="Since">
        <Ago at={addedAt} />
      </td>
      {choose !== null && (
        <td className={styles.acts}>
          {!isPast && (
            <>
              {act('roles', 'Roles')}
              {isGoverned && act('sessions', 'Sessions')}
              {isGoverned && act('reset', 'Reset')}
              {isGoverned && act('remove', 'Remove')}
            </>
          )}
        </td>
      )}
    </tr>
  );
}
