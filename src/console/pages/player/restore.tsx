import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { lookAtRestore, type Policy, type RestoreAsked, restore } from '../../api/acts.ts';
import { LOOK, useIntent, useRefresh } from '../../frame/acting.ts';
import { useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Choices, Why } from '../../parts/field.tsx';
import { MomentField } from '../../parts/moment-field.tsx';
import { Done, Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Empty, Waiting } from '../../parts/page.tsx';
import { type Unticked, untickedAtFirst } from '../../words/restore.ts';
import { localTime, momentOf, typedMoment } from '../../words/time.ts';
import { Corrected, type Correction, isNothing } from '../corrected.tsx';
import { UndoDialog } from '../undo.tsx';
import styles from './player.module.css';

const NOTHING: Unticked = { out: [], keep: [] };
const route = getRouteApi('/signed-in/p/$project/players/$player/restore');

const POLICIES = [
  { value: 'give', name: 'Nobody pays', means: '– what was lost is made anew' },
  { value: 'reverse', name: 'Take back', means: '– whoever got something since gives back what is left of it' },
] as const satisfies readonly { readonly value: Policy; readonly name: string; readonly means: string }[];

/** Brings back what a player had at a moment: shown first, path by path, then done in one commit. */
export function RestorePage() {
  const { player } = route.useParams();
  const { to } = route.useSearch();
  const { at } = useView();
  const moment = to ?? at;
  return (
    <div className={styles.stack}>
      <MomentCard key={moment} moment={moment} />
      {moment === undefined ? (
        <Card title="What would come back">
          <Empty title="Choose the moment first">
            The time line and the history of a document show when something was lost. A revision names a moment exactly.
          </Empty>
        </Card>
      ) : (
        <Preview key={`${player} ${moment}`} player={player} to={moment} />
      )}
    </div>
  );
}

function MomentCard({ moment }: { readonly moment: string | undefined }) {
  const navigate = route.useNavigate();
  const [typed, setTyped] = useState(typedMoment(moment ?? ''));
  const chosen = momentOf(typed);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (chosen !== null) void navigate({ search: (before) => ({ ...before, to: chosen }) });
  };
  return (
    <Card title="When did the player still have it?">
      <CardBody>
        <form className={styles.pickMoment} onSubmit={submit}>
          <MomentField label="Moment" isExplained value={typed} change={setTyped} />
          <Button type="submit" disabled={chosen === null || chosen === moment}>
            Look
          </Button>
        </form>
      </CardBody>
    </Card>
  );
}

/** Adds a text, or takes it away. */
function toggled(list: readonly string[], text: string): readonly string[] {
  return list.includes(text) ? list.filter((each) => each !== text) : [...list, text];
}

function collectionsIn(correction: Correction | undefined): readonly string[] {
  return [...new Set([...(correction?.documents ?? []), ...(correction?.slots ?? [])].map(({ collection }) => collection))];
}

function Preview({ player, to }: { readonly player: string; readonly to: string }) {
  const { project } = useView();
  const refresh = useRefresh();
  const [policy, setPolicy] = useState<Policy>('give');
  const [chosenOut, setUnticked] = useState<Unticked | null>(null);
  const [why, setWhy] = useState({ reason: '', ticket: '' });
  const intentOf = useIntent();
  const asked: RestoreAsked = { project, player, to, policy, collections: [], keep: [] };
  const key = [project, 'look', 'restore', player, to, policy];
  const look = useQuery({ queryKey: key, queryFn: () => lookAtRestore(asked), ...LOOK });
  const collections = collectionsIn(look.data);
  const { keep, out } = chosenOut ?? (look.isSuccess ? untickedAtFirst(look.data) : NOTHING);
  const chosen = { ...asked, keep, collections: out.length === 0 ? [] : collections.filter((each) => !out.includes(each)) };
  const isNarrowed = (keep.length > 0 || out.length > 0) && out.length < collections.length;
  const narrowed = useQuery({
    queryKey: [...key, keep, out],
    queryFn: () => lookAtRestore(chosen),
    enabled: isNarrowed,
    placeholderData: keepPreviousData,
    ...LOOK,
  });
  const act = useMutation({
    mutationFn: () => restore(chosen, why, intentOf([chosen, why])),
    onSuccess: refresh,
  });
  if (act.isSuccess) return <Restored player={player} revision={act.data.revision} correction={act.data} />;
  const paths =
    look.data?.documents.flatMap(({ collection, changes }) => (out.includes(collection) ? [] : changes.map(({ path }) => path))) ?? [];
  const slots = look.data?.slots.filter(({ collection }) => !out.includes(collection)) ?? [];
  const isAnyTicked = slots.length > 0 || paths.some((path) => !keep.includes(path));
  const isReady = look.isSuccess && isAnyTicked && why.reason.trim() !== '';
  return (
    <Card title={`What would come back from ${/^\d+$/.test(to) ? `revision ${to}` : localTime(to)}`}>
      {look.isPending && <Waiting what="what would come back" />}
      {look.isError && (
        <CardBody>
          <Failed error={look.error} again={() => void look.refetch()} />
        </CardBody>
      )}
      {look.isSuccess && isNothing(look.data) && (
        <Empty title="Nothing differs from that moment">The player has now what the player had then. Choose another moment.</Empty>
      )}
      {look.isSuccess && !isNothing(look.data) && (
        <CardBody>
          <div className={styles.stack}>
            <p className={styles.soft}>
              Ticked is what is less now than it was then, or gone. What only differs, or came since, stays as it is unless you tick it. A
              path that several documents have is ticked for all of them.
            </p>
            <div className={styles.ticks}>
              <Button isSmall onClick={() => setUnticked({ out: [], keep: [] })}>
                Tick all
              </Button>
              <Button isSmall onClick={() => setUnticked(null)}>
                Tick what was lost
              </Button>
            </div>
            <Corrected
              correction={withTicked(look.data, !isAnyTicked ? undefined : isNarrowed ? narrowed.data : look.data)}
              picking={{
                isOut: (collection) => out.includes(collection),
                isKept: (path) => keep.includes(path),
                toggleCollection: (collection) => setUnticked({ keep, out: toggled(out, collection) }),
                toggle: (path) => setUnticked({ out, keep: toggled(keep, path) }),
              }}
            />
            {isNarrowed && narrowed.isError && <Failed error={narrowed.error} again={() => void narrowed.refetch()} />}
            <Choices label="Who pays for it" value={policy} choose={setPolicy} options={POLICIES} />
            <Why {...why} change={setWhy} />
            {act.isError && <Failed error={act.error} />}
            <div>
              <Button look="main" disabled={!isReady || act.isPending} onClick={() => act.mutate()}>
                {act.isPending ? 'Bringing it back…' : 'Bring it back'}
              </Button>
            </div>
          </div>
        </CardBody>
      )}
    </Card>
  );
}

/** All lines that can be ticked, and what the ticked ones come to, where that is known. */
function withTicked(all: Correction, ticked: Correction | undefined): Correction {
  const { coins = [], shortfalls = [], left = [] } = ticked ?? {};
  return { ...all, coins, shortfalls, left };
}

interface RestoredProps {
  readonly player: string;
  readonly revision: number | null;
  readonly correction: Correction;
}

function Restored({ player, revision, correction }: RestoredProps) {
  const { project } = useView();
  const [isUndoing, setUndoing] = useState(false);
  return (
    <Card title="It is back">
      <CardBody>
        <div className={styles.stack}>
          <Done
            actions={
              <>
                <Link to="/p/$project/players/$player" params={{ project, player }}>
                  Look at the player
                </Link>
                {revision !== null && (
                  <Button isSmall onClick={() => setUndoing(true)}>
                    Undo this
                  </Button>
                )}
              </>
            }
          >
            <p>{revision === null ? 'Nothing was to be done.' : `The commit ${revision} did it. The player sees it at the next load.`}</p>
          </Done>
          <Corrected correction={correction} />
        </div>
      </CardBody>
      {isUndoing && revision !== null && <UndoDialog commit={{ revision }} close={() => setUndoing(false)} />}
    </Card>
  );
}
