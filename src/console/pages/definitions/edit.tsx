import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useBlocker } from '@tanstack/react-router';
import { useState } from 'react';
import { NO_WHY } from '../../api/acts.ts';
import {
  discardDefinition,
  type Found,
  lookQuery,
  removeDefinition,
  schemaQuery,
  stageDefinition,
  Unreadable,
} from '../../api/definitions.ts';
import { OF_PUBLISHING } from '../../api/reveal.ts';
import { useIntent, useRefresh } from '../../frame/acting.ts';
import { useMayPublish, useView } from '../../frame/view.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Decision } from '../../parts/decision.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Done, Failed } from '../../parts/notice.tsx';
import { Card } from '../../parts/page.tsx';
import { useSettled } from '../../parts/settled.ts';
import { useStanding } from '../../parts/standing.ts';
import { WhyField } from '../../parts/why-field.tsx';
import { type Definition, DefinitionText, isListed } from '../../words/definition.ts';
import { aroundChanges, linesBeside } from '../../words/line-diff.ts';
import { EndsSchedule } from '../publishes/scheduled.tsx';
import { FailedOrAsked } from '../revealing.tsx';
import styles from './definitions.module.css';
import { SourceEditor } from './editor.tsx';

/** How long nothing was typed before a text is looked at. */
const PAUSE_MS = 600;

interface EditProps {
  readonly definition: Definition;
  readonly isNew: boolean;
  /** The revision that the text is of. */
  readonly base: number;
}

/** The same list each time: the editor marks its findings anew when they are others. */
const NO_FINDINGS: readonly Found[] = [];

type Act = 'save' | 'discard' | 'remove' | null;

/** Changes a text, is told what the validator finds in it, and stages it. */
export function EditCard(props: EditProps) {
  // What is read meanwhile does not change what is being written: a conflict tells of it.
  const [{ definition, isNew, base }, begin] = useState(props);
  const { project } = useView();
  const mayPublish = useMayPublish();
  /** `null`: as it was. */
  const [written, write] = useState<string | null>(null);
  const [act, setAct] = useState<Act>(null);
  const settled = useSettled(written, PAUSE_MS);
  const { kind, id } = definition;
  // All of the text is sent for it: the first look comes once the page stands.
  const isStanding = useStanding();
  const lookedAt = isStanding ? (settled ?? definition.text.whole) : '';
  const look = useQuery({ ...lookQuery(project, { kind, definition, text: lookedAt }), enabled: isStanding });
  const schema = useQuery(schemaQuery(kind)).data;
  const isChanged = written !== null && written !== definition.text.whole;
  useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && !window.confirm('Leave this text? It is not saved.'),
    enableBeforeUnload: () => isChanged,
    disabled: !isChanged,
  });
  const findings = look.data?.findings ?? NO_FINDINGS;
  const others = (look.data?.ids ?? []).filter((each) => isListed(kind) && each !== '' && each !== id);
  return (
    <Card
      title={definition.isAuthored ? (definition.path ?? 'Source') : 'Pushed as data, changed as JSON'}
      actions={
        <div className={styles.actions}>
          {definition.state !== 'live' && !isNew && mayPublish && (
            <Button isSmall onClick={() => setAct('discard')}>
              Take back what is staged…
            </Button>
          )}
          {isListed(kind) && !isNew && definition.state !== 'removed' && (
            <Button isSmall look="bad" onClick={() => setAct('remove')}>
              Remove…
            </Button>
          )}
          <Button isSmall disabled={!isChanged} onClick={() => write(null)}>
            As it was
          </Button>
          <Button isSmall look="main" disabled={!isNew && !isChanged} onClick={() => setAct('save')}>
            Save to next…
          </Button>
        </div>
      }
    >
      <SourceEditor
        label={`Text of ${id}`}
        begun={definition.text}
        written={written}
        format={definition.format}
        schema={schema ?? {}}
        findings={findings}
        change={write}
      />
      <div className={styles.findings} role="status">
        {look.isError && <Failed error={look.error} again={() => void look.refetch()} />}
        {others.map((other) => (
          <p key={other} className={styles.bad}>
            The text says that its id is {other}. Saved like this it makes or replaces {other}, and {id} stays as it is.
          </p>
        ))}
        {look.isPending && <p className={styles.soft}>The validator looks at it…</p>}
        {look.isSuccess && findings.length === 0 && <p className={styles.soft}>The validator finds nothing in it.</p>}
        <FindingList findings={findings} />
      </div>
      {act === 'save' && (
        <SaveDialog
          definition={definition}
          text={written ?? definition.text.whole}
          base={base}
          isNew={isNew}
          findings={findings}
          close={() => setAct(null)}
          saved={begin}
        />
      )}
      {act !== null && act !== 'save' && <TakeDialog act={act} definition={definition} base={base} close={() => setAct(null)} />}
    </Card>
  );
}

/** Findings that are listed. */
const MOST = 100;

function FindingList({ findings }: { readonly findings: readonly Found[] }) {
  if (findings.length === 0) return null;
  return (
    <ul className={styles.found} aria-label="Findings">
      {findings.slice(0, MOST).map(({ severity, code, message, suggestedFix, line, column }) => (
        <li key={`${code} ${line} ${column} ${message}`} data-severity={severity}>
          <span className={styles.place}>{line === null ? '' : `${line}:${column ?? 1}`}</span>
          <span>
            {message} {suggestedFix} <code>{code}</code>
          </span>
        </li>
      ))}
    </ul>
  );
}

interface SaveProps extends EditProps {
  readonly text: string;
  readonly findings: readonly Found[];
  readonly close: () => void;
  readonly saved: (props: EditProps) => void;
}

/** Stages a text: what differs first, then why. */
function SaveDialog({ definition, text, base, isNew, findings, close, saved }: SaveProps) {
  const { project } = useView();
  const refresh = useRefresh();
  const [why, setWhy] = useState(NO_WHY);
  const intentOf = useIntent();
  const { kind, id } = definition;
  const act = useMutation({
    mutationFn: () => stageDefinition({ project, kind, definition, text, base, why }, intentOf([base, why, text])),
    onSuccess: refresh,
  });
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  if (act.isSuccess)
    return (
      <Dialog
        title="It is staged"
        close={() => leave()}
        foot={
          <>
            <Button onClick={() => leave()}>Close</Button>
            <Link to="/p/$project/publishes" params={{ project }} onClick={leave} data-begin className={buttonClass('main')}>
              On to Publishes
            </Link>
          </>
        }
      >
        <Done>
          <p>Players notice nothing yet. It can be tried in next, and Publishes checks it and makes it live.</p>
        </Done>
      </Dialog>
    );
  function leave() {
    saved({ definition: { ...definition, text: DefinitionText.written(text), state: 'staged' }, isNew: false, base: act.data ?? base });
    close();
  }
  const changed = isNew ? 0 : aroundChanges(linesBeside(definition.text.whole, text), 0).filter((pair) => pair !== null).length;
  return (
    <Dialog
      title={`Save ${kind} ${isListed(kind) ? id : ''} to next?`}
      sub={isNew ? 'It is new.' : `${changed} ${changed === 1 ? 'line differs' : 'lines differ'} from what next had.`}
      close={close}
      foot={
        <Decision leave={close} act="Stage it" acting="Saving…" isReady={errors === 0} isBusy={act.isPending} go={() => act.mutate()} />
      }
    >
      {errors > 0 && <p className={styles.bad}>The server would refuse it: see the findings below the text.</p>}
      {errors === 0 && findings.length > 0 && (
        <p>
          The validator has {findings.length} {findings.length === 1 ? 'warning' : 'warnings'}. They stop nothing.
        </p>
      )}
      <EndsSchedule />
      <WhyField isStaged why={why} change={setWhy} />
      {act.isError &&
        (act.error instanceof Unreadable ? (
          <p className={styles.bad}>{act.error.message}</p>
        ) : (
          <FailedOrAsked error={act.error} of={OF_PUBLISHING} whose="publishing" again={() => act.mutate()} />
        ))}
    </Dialog>
  );
}

interface TakeProps {
  readonly act: 'discard' | 'remove';
  readonly definition: Definition;
  readonly base: number;
  readonly close: () => void;
}

const TAKES = {
  discard: {
    title: 'Take back what is staged of',
    sub: 'Next has what live has, then. The history keeps the text.',
    verb: 'Take it back',
    done: 'It is taken back',
  },
  remove: {
    title: 'Remove',
    sub: 'Next does not have it any more, and neither has live once that is made live.',
    verb: 'Remove it in next',
    done: 'Its removal is staged',
  },
} as const;

function TakeDialog({ act: which, definition: { kind, id }, base, close }: TakeProps) {
  const { project } = useView();
  const refresh = useRefresh();
  const [why, setWhy] = useState(NO_WHY);
  const intentOf = useIntent();
  const { title, sub, verb, done } = TAKES[which];
  const act = useMutation({
    mutationFn: async () => {
      const asked = { project, id, base, why };
      const intent = intentOf([which, base, why]);
      if (which === 'discard') await discardDefinition({ ...asked, kind }, intent);
      else if (isListed(kind)) await removeDefinition({ ...asked, kind }, intent);
    },
    onSuccess: refresh,
  });
  if (act.isSuccess)
    return (
      <Dialog title={done} close={close}>
        <Done>
          <p>
            <Link to="/p/$project/definitions" params={{ project }} search={{ kind }} reloadDocument>
              To all of its kind
            </Link>
          </p>
        </Done>
      </Dialog>
    );
  return (
    <Dialog
      title={`${title} ${isListed(kind) ? id : kind}?`}
      sub={sub}
      close={close}
      foot={<Decision leave={close} act={verb} look="bad" isBusy={act.isPending} go={() => act.mutate()} />}
    >
      <WhyField why={why} change={setWhy} />
      {act.isError && <Failed error={act.error} />}
    </Dialog>
  );
}
