import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { LOOK, NO_WHY } from '../../api/acts.ts';
import { type GameButton, lookAtPress, type Pressed, press } from '../../api/buttons.ts';
import { ofKind } from '../../api/reveal.ts';
import { useIntent, useRefresh } from '../../frame/acting.ts';
import { useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Why } from '../../parts/field.tsx';
import { Done, Failed } from '../../parts/notice.tsx';
import { Waiting } from '../../parts/page.tsx';
import { SchemaForm } from '../../parts/schema-form.tsx';
import { exactJson } from '../../words/exact.ts';
import { fieldsOfInput, inputOf, type Typed } from '../../words/input.ts';
import { type Notice, type Refusal, Refused, refusalOf } from '../../words/refusal.ts';
import { Corrected } from '../corrected.tsx';
import { CommitLink } from '../named.tsx';
import { FailedOrAsked } from '../revealing.tsx';
import styles from './buttons.module.css';

interface PressProps {
  readonly button: GameButton;
  readonly player: string | null;
  readonly close: () => void;
}

type Input = Readonly<Record<string, unknown>>;

/** A button of the game: its input as a form, what it would do, why, and what it asks. */
export function PressDialog({ button, player, close }: PressProps) {
  const { endpoint, label, confirm, description } = button;
  const view = useView();
  const form = useId();
  const refresh = useRefresh();
  const intentOf = useIntent();
  // Without declared fields there is nothing to type.
  const fields = fieldsOfInput(button.input) ?? [];
  const [typed, setTyped] = useState<Typed>({});
  const [isAsked, setAsked] = useState(false);
  const [looked, setLooked] = useState<Input | null>(fields.length === 0 ? {} : null);
  const [why, setWhy] = useState(NO_WHY);
  const [hasAgreed, setAgreed] = useState(confirm === null);
  const entered = inputOf(fields, typed);
  const look = useQuery({
    queryKey: [view.project, 'look', 'press', endpoint, player, view.target, looked],
    queryFn: () => lookAtPress(view, { endpoint, player, input: looked ?? {} }),
    enabled: looked !== null,
    ...LOOK,
  });
  const act = useMutation({
    mutationFn: (input: Input) =>
      press(view, { endpoint, player, input }, confirm, why, intentOf([endpoint, player, view.target, input, why])),
    onSuccess: refresh,
  });
  // What is typed since makes a look old.
  const isCurrent = entered.ok && JSON.stringify(entered.input) === JSON.stringify(looked);
  const lookFirst = () => {
    setAsked(true);
    if (entered.ok) setLooked(entered.input);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
    if (entered.ok && !act.isPending) act.mutate(entered.input);
  };
  const sub = (
    <>
      {description !== null && <>{description} </>}
      {player !== null && <>For the player {player}. </>}
      {view.target === 'next' && (
        <>
          <Chip tone="next">next</Chip> Nothing of it reaches what is live.
        </>
      )}
    </>
  );
  if (act.isSuccess) return <Came label={label} sub={sub} pressed={act.data} close={close} />;
  const isReady = why.reason.trim() !== '' && hasAgreed;
  return (
    <Dialog
      title={label}
      sub={sub}
      close={close}
      foot={
        <>
          <Button onClick={close}>Cancel</Button>
          {fields.length > 0 && (
            <Button onClick={lookFirst} disabled={look.isFetching}>
              {look.isFetching ? 'Looking…' : 'What would it do?'}
            </Button>
          )}
          <Button look="main" type="submit" form={form} disabled={!isReady || act.isPending}>
            {act.isPending ? 'Running…' : label}
          </Button>
        </>
      }
    >
      <form id={form} className={styles.form} onSubmit={submit}>
        {fields.length > 0 && (
          <SchemaForm fields={fields} typed={typed} change={setTyped} problems={isAsked && !entered.ok ? entered.problems : {}} />
        )}
        {isCurrent && look.isPending && <Waiting what="what it would do" />}
        {isCurrent && look.isError && (
          <FailedOrAsked error={look.error} of={ofKind('endpoint', endpoint)} whose="endpoint" again={() => void look.refetch()} />
        )}
        {isCurrent && look.isSuccess && <WouldBe pressed={look.data} />}
        <Why {...why} change={setWhy} />
        {confirm !== null && (
          <label className={styles.agree}>
            <input type="checkbox" checked={hasAgreed} onChange={({ target }) => setAgreed(target.checked)} />
            <span>{confirm}</span>
          </label>
        )}
        {act.isError && <Failed error={act.error} />}
      </form>
    </Dialog>
  );
}

/** What a look found. What is refused stores nothing; an endpoint may also answer a refusal and store something. */
function WouldBe({ pressed }: { readonly pressed: Pressed }) {
  const { result, documents, coins = [], more = 0 } = pressed;
  const isEmpty = documents?.length === 0;
  const refusal = refusalOf(result.status, result.body, true);
  return (
    <div className={styles.would}>
      {!result.ok && (
        <>
          <p>{isEmpty ? 'It would be refused, and store nothing.' : 'It would be refused, and still store something.'}</p>
          <Failed error={new Refused(refusal)} words={isEmpty ? null : keptWords(refusal, 'would stay')} />
        </>
      )}
      {documents === undefined && <p className={styles.soft}>What it would change is not shown to your role.</p>}
      {isEmpty && result.ok && <p className={styles.soft}>It would change no document.</p>}
      {documents !== undefined && !isEmpty && <Corrected correction={{ documents, coins, more, slots: [], left: [], shortfalls: [] }} />}
      {result.ok && <Answer title="It would work, and answer" body={result.body} />}
    </div>
  );
}

/** Of an endpoint that refuses after it stored something. */
function keptWords({ message }: Refusal, stays: 'stays' | 'would stay'): Notice {
  return { happened: message, means: `What the endpoint had done until then ${stays}.`, toDo: '' };
}

function Answer({ title, body }: { readonly title: string; readonly body: unknown }) {
  return (
    <details>
      <summary>{title}</summary>
      <pre className={styles.answer}>{exactJson(body, 2)}</pre>
    </details>
  );
}

interface CameProps {
  readonly label: string;
  readonly sub: React.ReactNode;
  readonly pressed: Pressed;
  readonly close: () => void;
}

/** What came of it. */
function Came({ label, sub, pressed, close }: CameProps) {
  const { result, revision } = pressed;
  const refusal = refusalOf(result.status, result.body, true);
  return (
    <Dialog title={label} sub={sub} close={close}>
      <Done>
        {revision === null ? (
          <p>It was done before, by the same request.</p>
        ) : (
          <p>
            Done, in your name, by the commit <CommitLink revision={revision} leave={close} />. Undo that to take it back.
          </p>
        )}
      </Done>
      {!result.ok && <Failed error={new Refused(refusal)} words={revision === null ? null : keptWords(refusal, 'stays')} />}
      {result.ok && <Answer title="It worked, and answered" body={result.body} />}
    </Dialog>
  );
}
