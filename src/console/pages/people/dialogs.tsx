import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { type ComponentProps, useState } from 'react';
import { NO_WHY } from '../../api/acts.ts';
import {
  addPerson,
  endSessionOf,
  forgetPerson,
  type ListedPerson,
  peopleQuery,
  removePerson,
  resetPerson,
  sessionsOfQuery,
  setRole,
} from '../../api/people.ts';
import { may, sessionQuery } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Decision } from '../../parts/decision.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Choices, Field, Pair, Select } from '../../parts/field.tsx';
import { Done, Failed } from '../../parts/notice.tsx';
import { Waiting } from '../../parts/page.tsx';
import { SessionTable } from '../../parts/session-table.tsx';
import { WhyField } from '../../parts/why-field.tsx';
import { EVERY_PROJECT, placeOfRole, ROLES, type RoleName } from '../../words/role.ts';
import styles from './people.module.css';

/** What is done with people. Each says first what it means. */

interface ActProps {
  readonly person: ListedPerson;
  readonly close: () => void;
}

function useRefreshPeople(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: peopleQuery.queryKey });
}

/** Where the person who looks may give roles: the projects that are theirs, and every one for an owner of every one. */
function usePlaces(): readonly { readonly id: string; readonly title: string }[] {
  const { data } = useSuspenseQuery(sessionQuery);
  const isEverywhere = data.person.everywhere === 'owner';
  const own = data.projects.filter((project) => isEverywhere || may(project, 'people', 'w')).map(({ id, title }) => ({ id, title }));
  return isEverywhere ? [{ id: EVERY_PROJECT, title: 'Every project' }, ...own] : own;
}

export function InviteDialog({ close }: { readonly close: () => void }) {
  const refresh = useRefreshPeople();
  const places = usePlaces();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [project, setProject] = useState(places[0]?.id ?? EVERY_PROJECT);
  const [role, chooseRole] = useState<RoleName>('viewer');
  const [why, setWhy] = useState(NO_WHY);
  const act = useMutation({
    mutationFn: () => addPerson({ name: name.trim(), project, role, ...(email.trim() === '' ? {} : { email: email.trim() }) }, why),
    onSuccess: refresh,
  });
  if (act.isSuccess) return <LinkDialog title={`${name.trim()} is let in`} name={name.trim()} url={act.data} close={close} />;
  return (
    <Dialog
      title="Invite somebody"
      sub="You get a link, which you hand over yourself. It signs in once, within ten minutes."
      close={close}
      foot={
        <Decision
          leave={close}
          act="Make the link"
          acting="Making the link…"
          isReady={name.trim() !== ''}
          isBusy={act.isPending}
          go={() => act.mutate()}
        />
      }
    >
      <div className={styles.form}>
        <Pair>
          <Field
            label="Name"
            hint="By which the person signs in, and what histories show"
            value={name}
            maxLength={64}
            required
            onChange={({ target }) => setName(target.value)}
          />
          <Field
            label="E-mail (may be left out)"
            type="email"
            value={email}
            maxLength={254}
            onChange={({ target }) => setEmail(target.value)}
          />
        </Pair>
        <Select label="Where" value={project} onChange={({ target }) => setProject(target.value)}>
          {places.map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </Select>
        <Choices label="Role" value={role} choose={chooseRole} options={ROLES} />
        <PersonWhy begins={false} why={why} change={setWhy} />
        {act.isError && <Failed error={act.error} />}
      </div>
    </Dialog>
  );
}

interface LinkProps {
  readonly title: string;
  readonly name: string;
  readonly url: string;
  readonly close: () => void;
}

/** Whether the name in a link is one that each machine takes for itself. */
function isOfThisMachine(url: string): boolean {
  return new URL(url).hostname.endsWith('.localhost');
}

function LinkDialog({ title, name, url, close }: LinkProps) {
  return (
    <Dialog title={title} sub="This link is shown only here. Whoever opens it first is signed in, so hand it to nobody else." close={close}>
      <Done actions={<CopyButton text={url} what={`the link for ${name}`} />}>
        <p>It signs {name} in once, within ten minutes:</p>
        <code className={styles.link}>{url}</code>
        {isOfThisMachine(url) && (
          <p>
            It opens on the machine of the server alone. For people elsewhere the server needs <code>CONSOLE_URL</code>, as the manual says
            under “The console”.
          </p>
        )}
      </Done>
    </Dialog>
  );
}

export function RolesDialog({ person, close }: ActProps) {
  const refresh = useRefreshPeople();
  const places = usePlaces();
  const [why, setWhy] = useState(NO_WHY);
  const act = useMutation({
    mutationFn: (given: { readonly project: string; readonly role: string }) => setRole(person.id, given, why),
    onSuccess: refresh,
  });
  return (
    <Dialog
      title={`Roles of ${person.name}`}
      sub="A role in a project goes before the one in every project. A change holds within a second, for what is open, too."
      close={close}
    >
      <div className={styles.form}>
        <PersonWhy begins={false} why={why} change={setWhy} hint="Say it first: a role is given as soon as it is chosen" />
        {places.map(({ id, title: place }) => (
          <Select
            key={id}
            label={place}
            value={person.roles[id] ?? 'none'}
            disabled={act.isPending}
            onChange={({ target }) => act.mutate({ project: id, role: target.value })}
          >
            <option value="none">No role{id === EVERY_PROJECT ? '' : ' of its own here'}</option>
            {ROLES.map(({ value, name, means }) => (
              <option key={value} value={value}>
                {name}: {means}
              </option>
            ))}
          </Select>
        ))}
        {act.isError && <Failed error={act.error} />}
        {act.isSuccess && (
          <Done>
            <p>
              {person.name} {act.variables.role === 'none' ? 'has no role of their own' : `is ${act.variables.role}`}{' '}
              {placeOfRole(act.variables.project, places)}.
            </p>
          </Done>
        )}
      </div>
    </Dialog>
  );
}

export function ResetDialog({ person, close }: ActProps) {
  const refresh = useRefreshPeople();
  const [why, setWhy] = useState(NO_WHY);
  const act = useMutation({ mutationFn: () => resetPerson(person.id, why), onSuccess: refresh });
  if (act.isSuccess) return <LinkDialog title={`${person.name} is let in anew`} name={person.name} url={act.data} close={close} />;
  return (
    <Dialog
      title={`Let ${person.name} in anew?`}
      sub="The password is forgotten and every session ends, on the command line, too. You get a link to hand over. Roles stay."
      close={close}
      foot={<Decision leave={close} act="Reset" look="bad" isBusy={act.isPending} go={() => act.mutate()} />}
    >
      <PersonWhy why={why} change={setWhy} />
      {act.isError && <Failed error={act.error} />}
    </Dialog>
  );
}

export function RemoveDialog({ person, close }: ActProps) {
  const refresh = useRefreshPeople();
  const { data: session } = useSuspenseQuery(sessionQuery);
  const [forgets, setForgets] = useState(false);
  const [why, setWhy] = useState(NO_WHY);
  const act = useMutation({
    mutationFn: () => (forgets ? forgetPerson(person.id, why) : removePerson(person.id, why).then(() => true)),
    onSuccess: (isDone) => (isDone ? end() : undefined),
  });
  const end = async () => {
    close();
    await refresh();
  };
  if (act.data === false)
    return (
      <Dialog title={`${person.name} is removed`} close={() => void end()} foot={<Button onClick={() => void end()}>Close</Button>}>
        <p>The engine of this log cannot change an event, so what it holds of the name stays there. No page and no command shows it.</p>
      </Dialog>
    );
  return (
    <Dialog
      title={`Remove ${person.name}?`}
      sub="Every session ends at once, and nobody signs in by this name any more. What the person did stays, with the name."
      close={close}
      foot={
        <Decision leave={close} act={forgets ? 'Remove and forget' : 'Remove'} look="bad" isBusy={act.isPending} go={() => act.mutate()} />
      }
    >
      {session.person.everywhere === 'owner' && (
        <label className={styles.forget}>
          <input type="checkbox" checked={forgets} onChange={({ target }) => setForgets(target.checked)} />
          <span>
            Forget name and e-mail, too, and why anything was done with the person before. What the person did then stays by an id alone. It
            cannot be taken back.
          </span>
        </label>
      )}
      <PersonWhy why={why} change={setWhy} hint={forgets ? 'It stays, so name nobody here' : null} />
      {act.isError && <Failed error={act.error} />}
    </Dialog>
  );
}

/** Why something is done with a person: whoever reads what changed sees it. */
function PersonWhy({ hint, ...why }: Omit<ComponentProps<typeof WhyField>, 'label'>) {
  return <WhyField {...why} label="Why (may be left out)" hint={hint ?? 'Owners and auditors read it under What changed'} />;
}

export function SessionsDialog({ person, close }: ActProps) {
  const refresh = useRefreshPeople();
  const { data: session } = useSuspenseQuery(sessionQuery);
  const sessions = useQuery(sessionsOfQuery(person.id));
  const [why, setWhy] = useState(NO_WHY);
  const act = useMutation({ mutationFn: (ended: string | null) => endSessionOf(person.id, ended, why), onSettled: refresh });
  const isOpen = (sessions.data ?? []).length > 0;
  return (
    <Dialog
      title={`Where ${person.name} is signed in`}
      sub="A session that is ended is over at once."
      close={close}
      foot={
        <>
          {isOpen && (
            <Button look="bad" disabled={act.isPending} onClick={() => act.mutate(null)}>
              End all
            </Button>
          )}
          <Button look="main" onClick={close}>
            Close
          </Button>
        </>
      }
    >
      {sessions.isPending && <Waiting what="the sessions" />}
      {sessions.isError && <Failed error={sessions.error} />}
      {sessions.isSuccess && !isOpen && <p>Nowhere.</p>}
      {isOpen && session.person.id !== person.id && <PersonWhy begins={false} why={why} change={setWhy} hint="Say it before you end one" />}
      {sessions.isSuccess && isOpen && <SessionTable sessions={sessions.data} isBusy={act.isPending} end={act.mutate} />}
      {act.isError && <Failed error={act.error} />}
    </Dialog>
  );
}
