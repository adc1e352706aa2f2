import { keepPreviousData, queryOptions, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, useMemo, useState } from 'react';
import { LOOK, NO_WHY } from '../../api/acts.ts';
import { LINES, lookAtRestore, type Policy, type RestoreAsked, restore, restoreQuery } from '../../api/corrections.ts';
import { type Commit, commitsQuery } from '../../api/queries.ts';
import { useIntent, useRefresh } from '../../frame/acting.ts';
import { useMay, useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Why } from '../../parts/field.tsx';
import { MomentField } from '../../parts/moment-field.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Empty, Waiting } from '../../parts/page.tsx';
import { When } from '../../parts/time.tsx';
import { becameText, deedOf, whoOf } from '../../words/commit.ts';
import { exchangesIn, goesBackToo, type Place } from '../../words/exchange.ts';
import {
  askedFor,
  type Choice,
  changesToLookBefore,
  chosenAtFirst,
  everything,
  isAllTicked,
  isAnyTicked,
  isAnythingLost,
  isBack,
  isTicked,
  lastChangeOf,
  lastLoss,
  othersPay,
  placesBack,
  placesLost,
  unlistedText,
  withCollection,
  withLine,
} from '../../words/restore.ts';
import { momentOf, momentText, typedMoment } from '../../words/time.ts';
import { CommitList } from '../commits.tsx';
import { Corrected, type Correction, isNothing } from '../corrected.tsx';
import { CommitLink, WhoLink } from '../named.tsx';
import { useShared, WhoPays } from '../policies.tsx';
import { FailedOrAsked } from '../revealing.tsx';
import { UndoDialog } from '../undo.tsx';
import { Exchanged } from './exchanged.tsx';
import { ChangesLink } from './fields.tsx';
import styles from './player.module.css';
import { Restored } from './restored.tsx';
import { useBehind, useSince } from './since.ts';

/** Until it is known what differs. */
const NOTHING = { documents: [], slots: [] };
const route = getRouteApi('/signed-in/p/$project/players/$player/restore');

/** Restores what a player had at a moment: shown first, path by path, then done in one commit. */
export function RestorePage() {
  const { player } = route.useParams();
  const { to, before } = route.useSearch();
  const { at } = useView();
  const mayRestore = useMay()('restore', 'w');
  const moment = to ?? at;
  if (!mayRestore)
    return (
      <Card title="Restore">
        <Empty title="Your role restores nothing">Support and owners do. An owner can give you such a role.</Empty>
      </Card>
    );
  return (
    <div className={styles.stack}>
      <MomentCard key={moment} player={player} moment={moment} before={before} />
      {moment === undefined ? (
        <LastChanges player={player} />
      ) : (
        <Preview key={`${player} ${moment}`} player={player} to={moment} before={before} />
      )}
    </div>
  );
}

interface MomentCardProps {
  readonly player: string;
  readonly moment: string | undefined;
  /** The commit right behind the moment, by its revision, where one came from it. */
  readonly before: string | undefined;
}

function MomentCard({ player, moment, before }: MomentCardProps) {
  const navigate = route.useNavigate();
  const [typed, setTyped] = useState(typedMoment(moment ?? ''));
  const chosen = momentOf(typed);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (chosen !== null) void navigate({ search: (search) => ({ ...search, to: chosen, before: undefined }) });
  };
  const behind = useBehind(player, moment, before);
  return (
    <Card title="When did the player still have it?">
      <CardBody>
        <form className={styles.pickMoment} onSubmit={submit}>
          <MomentField label="Moment" isExplained value={typed} change={setTyped} />
          <Button type="submit" disabled={chosen === null || chosen === moment}>
            Look
          </Button>
        </form>
        {behind !== undefined && <p className={styles.justBefore}>Just before this change:</p>}
      </CardBody>
      {behind !== undefined && <CommitList commits={[behind]} about={player} acts="none" />}
    </Card>
  );
}

/** Where no moment is chosen: the last changes, each of which one can look before. */
function LastChanges({ player }: { readonly player: string }) {
  const view = useView();
  const mayRead = useMay()('history', 'r');
  const read = useInfiniteQuery({ ...commitsQuery(view, { player }), enabled: mayRead });
  if (!mayRead)
    return (
      <Card title="What would be restored">
        <Empty title="Choose the moment first">Your role does not see what happened: whoever does tells you when something was lost.</Empty>
      </Card>
    );
  const commits = read.data?.pages[0]?.commits ?? [];
  const changes = changesToLookBefore(commits, player);
  return (
    <Card title="Or look before one of the last changes">
      {read.isPending && <Waiting what="what happened" />}
      {read.isError && (
        <CardBody>
          <Failed error={read.error} again={() => void read.refetch()} />
        </CardBody>
      )}
      {read.isSuccess && changes.length === 0 && (
        <Empty title="Nothing of this player changed lately">
          Documents and save slots change by calls of the game and by corrections.
        </Empty>
      )}
      <CommitList commits={changes} about={player} acts="before" />
      {read.isSuccess && (
        <CardBody>
          <span className={styles.soft}>
            {changes.length > 0 && `Of the last ${commits.length} commits: those after which something was less, and the newest others. `}
            The{' '}
            <Link to="/p/$project/players/$player/timeline" params={{ project: view.project, player }}>
              time line
            </Link>{' '}
            goes further back, and offers the same on each line.
          </span>
        </CardBody>
      )}
    </Card>
  );
}

/** Adds a text, or takes it away. */
function toggled(list: readonly string[], text: string): readonly string[] {
  return list.includes(text) ? list.filter((each) => each !== text) : [...list, text];
}

interface PreviewProps {
  readonly player: string;
  readonly to: string;
  readonly before: string | undefined;
}

function Preview({ player, to, before }: PreviewProps) {
  const { project } = useView();
  const refresh = useRefresh();
  const since = useSince(player, to, before);
  const shared = useShared();
  const [policy, setPolicy] = useState<Policy>('give');
  const [chosen, setChosen] = useState<Choice | null>(null);
  const [lines, setLines] = useState(LINES);
  const [why, setWhy] = useState(NO_WHY);
  const intentOf = useIntent();
  const [undoing, setUndoing] = useState<Commit | null>(null);
  const queries = useQueryClient();
  const restoring = { project, player, to, policy };
  const whole = restoreQuery(restoring, lines);
  // What is listed stays while more of it is read.
  const look = useQuery({ ...whole, placeholderData: keepPreviousData });
  const all = look.data ?? NOTHING;
  const atFirst = useMemo(() => chosenAtFirst(all, goesBackToo(since, player, placesLost(all))), [all, since, player]);
  const choice = chosen ?? atFirst;
  const asked = { ...restoring, ...askedFor(all, choice) };
  const isAny = isAnyTicked(all, choice);
  const isNarrowed = look.isSuccess && isAny && !isAllTicked(all, choice);
  const narrowed = useQuery({ ...chosenQuery(asked), enabled: isNarrowed, placeholderData: keepPreviousData });
  // Only where taking it back would take it from somebody else is it asked who pays.
  const reversed = useQuery({
    ...chosenQuery({ ...asked, policy: 'reverse' }),
    enabled: look.isSuccess && isAny && since.mayBeOthers,
    placeholderData: keepPreviousData,
  });
  const act = useMutation({
    mutationFn: () => restore(asked, why, intentOf([asked, why])),
    onSuccess: refresh,
  });
  if (act.isSuccess) return <Restored player={player} revision={act.data.revision} correction={act.data} />;
  // What an undo took back may be what was to be restored.
  const lookAnew = () => {
    setUndoing(null);
    setChosen(null);
    void queries.invalidateQueries({ queryKey: [project, 'look', 'restore', player] });
  };
  const isReady = look.isSuccess && !look.isPlaceholderData && isAny && why.reason.trim() !== '';
  const ticked = !isAny ? undefined : isNarrowed ? narrowed.data : look.data;
  const isAskedWhoPays = policy !== 'give' || reversed.isError || (reversed.isSuccess && othersPay(reversed.data, player, shared));
  const isRead = look.isSuccess && !since.isLoading;
  const isAnyLost = look.isSuccess && isAnythingLost(look.data);
  return (
    <Card title={`What would be restored from ${momentText(to)}`}>
      {!isRead && !look.isError && <Waiting what="what would be restored" />}
      {look.isError && (
        <CardBody>
          <FailedOrAsked error={look.error} of={player} whose="player" again={() => void look.refetch()} />
        </CardBody>
      )}
      {isRead && isNothing(look.data) && (
        <Empty title="Nothing differs from that moment">The player has now what the player had then.</Empty>
      )}
      {isRead && !isAnyLost && <NothingLost player={player} moment={to} revision={look.data.to} />}
      {isRead && !isNothing(look.data) && (
        <CardBody>
          <div className={styles.stack}>
            <p className={styles.soft}>
              Ticked is what is less now than it was then, or gone. What only differs, or came since, stays as it is unless you tick it. A
              click on the name of a field ticks it in every document that has it.
            </p>
            <div className={styles.ticks}>
              <Button isSmall onClick={() => setChosen(everything(all))}>
                Tick all
              </Button>
              <Button isSmall onClick={() => setChosen(null)}>
                Tick what was lost
              </Button>
            </div>
            <Corrected
              correction={withTicked(look.data, ticked)}
              picking={{
                isOut: (collection) => choice.out.includes(collection),
                isTicked: (document) => isTicked(all, document, choice),
                toggleCollection: (collection) => setChosen(withCollection(all, collection, choice)),
                isBack: (document, line) => isBack(all, document, line, choice),
                toggle: (document, line) => setChosen(withLine(all, document, line, choice)),
                howItCame: ({ collection, key }, { path }) => (
                  <HowItCame player={player} since={since.commits} place={{ collection, key, path }} />
                ),
                isSlotKept: ({ recordId }) => choice.slots.includes(recordId),
                toggleSlot: ({ recordId }) => setChosen({ ...choice, slots: toggled(choice.slots, recordId) }),
                unlisted: (document) => unlistedText(all, document, choice),
                list: (wanted) => setLines(Math.max(lines, wanted)),
                isListing: look.isPlaceholderData,
              }}
            />
            <Exchanged exchanges={exchangesIn(since.commits, player)} back={placesBack(all, choice)} undo={setUndoing} />
            {isNarrowed && narrowed.isError && (
              <FailedOrAsked error={narrowed.error} of={player} whose="player" again={() => void narrowed.refetch()} />
            )}
            {isAskedWhoPays && <WhoPays of="restore" policy={policy} choose={setPolicy} />}
            <Why {...why} change={setWhy} />
            {act.isError && <FailedOrAsked error={act.error} of={player} whose="player" again={() => act.mutate()} />}
            <div>
              <Button look="main" disabled={!isReady || act.isPending} onClick={() => act.mutate()}>
                {act.isPending ? 'Restoring…' : 'Restore it'}
              </Button>
            </div>
          </div>
        </CardBody>
      )}
      {undoing !== null && <UndoDialog commit={undoing} close={lookAnew} />}
    </Card>
  );
}

/** What comes of what is ticked. */
function chosenQuery(asked: RestoreAsked) {
  const { project, player, to, policy } = asked;
  return queryOptions({
    queryKey: [project, 'look', 'restore', player, to, policy, 'chosen', asked],
    queryFn: () => lookAtRestore(asked),
    ...LOOK,
  });
}

interface HowItCameProps {
  readonly player: string;
  readonly since: readonly Commit[];
  readonly place: Place;
}

/** When something changed last since the moment, and by whom, and what else changed it. */
function HowItCame({ player, since, place }: HowItCameProps) {
  const last = lastChangeOf(since, place);
  const others = place.path !== '' && <ChangesLink player={player} field={place.path} text={`all changes of ${place.path}`} />;
  if (last === undefined) return others;
  const { commit, field } = last;
  return (
    <>
      {field !== undefined && `${becameText(field)}, `}
      <When at={commit.at} />, {whoOf(commit) !== player && <WhoLink commit={commit} />} {deedOf(commit)}, commit{' '}
      <CommitLink revision={commit.revision} />
      {others !== false && <> · {others}</>}
    </>
  );
}

interface NothingLostProps {
  readonly player: string;
  readonly moment: string;
  /** The last one that counts at the moment. */
  readonly revision: number;
}

/** What to do where nothing was lost since the moment: it lies behind the loss. */
function NothingLost({ player, moment, revision }: NothingLostProps) {
  const mayRead = useMay()('history', 'r');
  const read = useInfiniteQuery({ ...commitsQuery(useView(), { player, to: String(revision) }), enabled: mayRead });
  const loss = read.data === undefined ? undefined : lastLoss(read.data.pages[0]?.commits ?? [], player);
  return (
    <>
      <CardBody>
        <p>
          <strong>Nothing of this player is less now than at {momentText(moment)}.</strong>{' '}
          {loss === undefined
            ? 'Choose an earlier moment: the time line says what happened before.'
            : `Something became less by commit ${loss.revision}: look before it.`}
        </p>
      </CardBody>
      {loss !== undefined && <CommitList commits={[loss]} about={player} acts="before" />}
    </>
  );
}

/** All lines that can be ticked, and what the ticked ones come to, where that is known. */
function withTicked(all: Correction, ticked: Correction | undefined): Correction {
  const { coins = [], shortfalls = [], left = [] } = ticked ?? {};
  return { ...all, coins, shortfalls, left };
}
