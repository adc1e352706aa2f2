import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { lookAtPromotion, lookAtRollback, promote, rollback } from '../../api/acts.ts';
import { LOOK, useIntent, useRefresh } from '../../frame/acting.ts';
import { useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { Done, Failed } from '../../parts/notice.tsx';
import { Waiting } from '../../parts/page.tsx';
import { Changes, type DefinitionChange } from './changes.tsx';
import styles from './publishes.module.css';

/** Findings that stop nothing: they tell. */
const TELLING = ['ACCESS_WIDENED'];

interface ActProps {
  readonly base: number;
  readonly close: () => void;
}

interface PromoteProps extends ActProps {
  /** How what is staged differs, as of `base`. */
  readonly changes: readonly DefinitionChange[];
}

/** Makes live what is staged: what changes and what the data says first, then why. */
export function PromoteDialog({ base, changes, close }: PromoteProps) {
  const { project } = useView();
  const refresh = useRefresh();
  const [message, setMessage] = useState('');
  const [force, setForce] = useState(false);
  const intentOf = useIntent();
  const look = useQuery({ queryKey: [project, 'look', 'promote', base], queryFn: () => lookAtPromotion(project), ...LOOK });
  const act = useMutation({
    mutationFn: () => promote({ project, base, message, force }, intentOf([base, message, force])),
    onSuccess: refresh,
  });
  if (act.isSuccess)
    return (
      <Published title="It is live" close={close}>
        Players have it from their next call on. The history says who did it and why, and rolls it back.
      </Published>
    );
  const findings = look.data?.findings ?? [];
  const stops = findings.filter(({ code }) => !TELLING.includes(String(code)));
  return (
    <Dialog
      title="Promote what is staged?"
      sub="It becomes live for all players at once, or nothing does."
      close={close}
      foot={
        <>
          <Button onClick={close}>Leave it</Button>
          <Button
            look="main"
            disabled={!look.isSuccess || look.data.changes.length === 0 || (stops.length > 0 && !force) || act.isPending}
            onClick={() => act.mutate()}
          >
            {act.isPending ? 'Promoting…' : 'Make it live'}
          </Button>
        </>
      }
    >
      {look.isPending && <Waiting what="what would change" />}
      {look.isError && <Failed error={look.error} />}
      <Changes isFramed changes={changes} />
      {findings.map((finding) => (
        <p key={JSON.stringify(finding)} className={styles.warning}>
          {String(finding['message'])}
        </p>
      ))}
      <GivenUp documents={look.data?.nextDocuments} />
      <Reason message={message} change={setMessage} />
      {stops.length > 0 && (
        <label className={styles.force}>
          <input type="checkbox" checked={force} onChange={({ target }) => setForce(target.checked)} />
          <span>Promote all the same: what is stored does not fit, and I know what that does to players.</span>
        </label>
      )}
      {act.isError && <Failed error={act.error} />}
    </Dialog>
  );
}

interface RollbackProps extends ActProps {
  readonly to: number;
}

/** Makes live what it was right after an earlier publish. */
export function RollbackDialog({ to, base, close }: RollbackProps) {
  const { project } = useView();
  const refresh = useRefresh();
  const [message, setMessage] = useState('');
  const intentOf = useIntent();
  const look = useQuery({ queryKey: [project, 'look', 'rollback', to, base], queryFn: () => lookAtRollback(project, to), ...LOOK });
  const act = useMutation({
    mutationFn: () => rollback({ project, to, base, message }, intentOf([to, base, message])),
    onSuccess: refresh,
  });
  if (act.isSuccess)
    return (
      <Published title="It is rolled back" close={close}>
        Players have what was live after publish {to} from their next call on. The roll back is in the history, and can be rolled back.
      </Published>
    );
  return (
    <Dialog
      title={`Roll live back to publish ${to}?`}
      sub="Definitions go back. What players have stays as it is."
      close={close}
      foot={
        <>
          <Button onClick={close}>Leave it</Button>
          <Button look="main" disabled={!look.isSuccess || look.data.changes.length === 0 || act.isPending} onClick={() => act.mutate()}>
            {act.isPending ? 'Rolling back…' : 'Roll it back'}
          </Button>
        </>
      }
    >
      {look.isPending && <Waiting what="what would change" />}
      {look.isError && <Failed error={look.error} />}
      {look.isSuccess &&
        (look.data.changes.length === 0 ? <p>Live is what it was then.</p> : <Changes isFramed changes={look.data.changes} />)}
      <GivenUp documents={look.data?.nextDocuments} />
      <Reason message={message} change={setMessage} />
      {act.isError && <Failed error={act.error} />}
    </Dialog>
  );
}

function Published({ title, close, children }: { readonly title: string; readonly close: () => void; readonly children: ReactNode }) {
  return (
    <Dialog
      title={title}
      close={close}
      foot={
        <Button look="main" onClick={close}>
          Close
        </Button>
      }
    >
      <Done>
        <p>{children}</p>
      </Done>
    </Dialog>
  );
}

function GivenUp({ documents = 0 }: { readonly documents?: number | undefined }) {
  if (documents === 0) return null;
  return (
    <p className={styles.soft}>
      {documents} {documents === 1 ? 'document' : 'documents'} of who tried next are given up: the data of next begins anew.
    </p>
  );
}

function Reason({ message, change }: { readonly message: string; readonly change: (message: string) => void }) {
  return (
    <Field
      label="Why"
      hint="The history tells it to everybody who looks later"
      value={message}
      maxLength={500}
      onChange={({ target }) => change(target.value)}
    />
  );
}
