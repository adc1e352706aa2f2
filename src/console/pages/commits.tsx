import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { isOnlyAnswered } from '../../contract/told-as-one.ts';
import { type Commit, type CommitsAsked, commitsQuery, LOOK_EVERY_MS, NEWER, newerCommitsQuery } from '../api/queries.ts';
import { useMay, useView } from '../frame/view.ts';
import { Button, buttonClass } from '../parts/button.tsx';
import { Chip } from '../parts/chip.tsx';
import { classes } from '../parts/classes.ts';
import { NewNote, NotFollowed } from '../parts/live.tsx';
import { Failed } from '../parts/notice.tsx';
import { More, NothingSoFar, Waiting } from '../parts/page.tsx';
import { useDrawn } from '../parts/standing.ts';
import { At, When } from '../parts/time.tsx';
import {
  deedOf,
  type FieldSaid,
  fieldsSaid,
  isCorrection,
  isOfPublishes,
  isPastApproval,
  isRestorable,
  type Managed,
  managedSaid,
  newText,
  ownDeed,
  whoOf,
} from '../words/commit.ts';
import { isAway } from '../words/refusal.ts';
import { isLess, signed } from '../words/value.ts';
import { RESTORE_BEFORE, RESTORE_MEANS, UNDO_MEANS } from '../words/ways-back.ts';
import { type Called, CalledSo } from './called.tsx';
import styles from './commits.module.css';
import { CommitLink, Deed, DocumentLink, KeyLink, PlayerOr, PublishLink, WhoLink, WhySaid } from './named.tsx';
import { UndoDialog } from './undo.tsx';
import { UndoneBy } from './undone-by.tsx';

/** What happened, newest first, page by page. What comes meanwhile is told, and shown when one asks for it. */
export function Commits({ asked, empty }: { readonly asked: CommitsAsked; readonly empty: ReactNode }) {
  const view = useView();
  const list = useInfiniteQuery({
    ...commitsQuery(view, asked),
    refetchInterval: ({ state }) => (isAway(state.error) ? LOOK_EVERY_MS : false),
  });
  const newest = list.data?.pages[0]?.commits[0]?.revision;
  // A list that names an end does not ask by itself.
  const isFollowed = view.at === undefined && asked.to === undefined && newest !== undefined;
  const newer = useQuery({ ...newerCommitsQuery(view, asked, newest ?? 0), enabled: isFollowed });
  const searched = list.data?.pages.at(-1)?.searched ?? 0;
  const oldest = list.data?.pages.at(-1)?.commits.at(-1);
  const isOldestShown = oldest !== undefined && oldest.first <= searched;
  // Where the search ended behind what is shown, the moment is that of what it ended at.
  const endedAt = useFirstFrom(list.hasNextPage && !isOldestShown ? searched : null);
  if (list.isPending) return <Waiting what="what happened" />;
  if (list.data === undefined) return <Failed error={list.error} again={() => void list.refetch()} />;
  const commits = list.data.pages.flatMap((page) => page.commits);
  const names: Called = new Map(list.data.pages.flatMap(({ called = {} }) => Object.entries(called)));
  return (
    <CalledSo names={names}>
      <NewNote isInCard what={isFollowed ? newText(newer.data ?? 0, NEWER) : null} show={() => void list.refetch()} />
      <NotFollowed state={isAway(list.error) || (isFollowed && newer.isError) ? 'lost' : 'off'} />
      {list.isError && !isAway(list.error) && <Failed error={list.error} again={() => void list.refetch()} />}
      {commits.length > 0 ? <CommitList commits={commits} /> : list.hasNextPage ? <NothingSoFar /> : empty}
      <More hasMore={list.hasNextPage} isLoading={list.isFetchingNextPage} load={() => void list.fetchNextPage()}>
        {list.hasNextPage && <LookedBack at={(isOldestShown ? oldest : endedAt)?.at} revision={searched} />}
      </More>
    </CalledSo>
  );
}

/** Revisions among which a commit ends. */
const MOST_OF_ONE = 20;

/** The first commit that ends at a revision or soon behind it: a search may end within one. */
function useFirstFrom(revision: number | null): Commit | undefined {
  const [from, to] = [String(revision ?? 0), String((revision ?? 0) + MOST_OF_ONE)];
  return useInfiniteQuery({ ...commitsQuery(useView(), { from, to }), enabled: revision !== null }).data?.pages[0]?.commits.at(-1);
}

/** How far back was looked: until when, and in the number that the log counts by. */
function LookedBack({ at, revision }: { readonly at: string | undefined; readonly revision: number }) {
  return (
    <span title={`Down to revision ${revision} of the log`}>
      {at === undefined ? (
        `All since revision ${revision} was looked at.`
      ) : (
        <>
          All since <At at={at} /> was looked at.
        </>
      )}
    </span>
  );
}

/** Rows, mostly of two lines, that fill a screen. */
export const ROWS_OF_SCREEN = 20;

/** What can be done from a row: everything, look at what was before it, or nothing. */
type Acts = 'all' | 'before' | 'none';

interface ListProps {
  readonly commits: readonly Commit[];
  readonly about?: string;
  readonly acts?: Acts;
}

export function CommitList({ commits, about, acts = 'all' }: ListProps) {
  const [undoing, setUndoing] = useState<Commit | null>(null);
  const drawn = useDrawn(commits, ROWS_OF_SCREEN);
  return (
    <>
      <ol className={styles.list}>
        {drawn.map((commit) => (
          <CommitRow key={commit.revision} commit={commit} about={about} acts={acts} undo={() => setUndoing(commit)} />
        ))}
      </ol>
      {undoing !== null && <UndoDialog commit={undoing} close={() => setUndoing(null)} />}
    </>
  );
}

/** Whether the commit can be undone from here: not in the past, which nobody changes, and not twice. */
export function useCanUndo({ documents, undone }: Commit): boolean {
  const { at } = useView();
  return useMay()('restore', 'w') && at === undefined && documents.length > 0 && undone === undefined;
}

/** How many amounts and documents a row names. */
const SHOWN = 4;

interface RowProps {
  readonly commit: Commit;
  /** The player whose page it is, who need not be named again. */
  readonly about?: string;
  readonly acts: Acts;
  readonly undo: () => void;
}

export function CommitRow({ commit, about, acts, undo }: RowProps) {
  const { project } = useView();
  const canUndo = useCanUndo(commit) && acts === 'all';
  const who = whoOf(commit);
  const own = ownDeed(commit, about);
  const money = commit.money.filter((each) => about === undefined || each.player === about).slice(0, SHOWN);
  const fields = fieldsSaid(commit, about);
  const isTold = deedOf(commit).includes('/');
  const others = commit.documents
    .filter(({ key, change, fields }, place) => {
      if (isTold && place === 0) return false;
      return change === 'deleted' || (key !== who && key !== about && fields === undefined);
    })
    .slice(0, SHOWN);
  const isAnyTold = money.length > 0 || fields.length > 0 || others.length > 0 || commit.managed !== undefined;
  return (
    <li className={styles.commit}>
      <p className={styles.say}>
        {own === null ? (
          <>
            <strong>
              <WhoLink commit={commit} />
            </strong>{' '}
            {isOfPublishes(commit) ? (
              <Link to="/p/$project/publishes" params={{ project }}>
                {deedOf(commit)}
              </Link>
            ) : (
              <Deed commit={commit} />
            )}
          </>
        ) : (
          <strong>{own}</strong>
        )}{' '}
        {commit.target === 'next' && <Chip tone="next">next</Chip>} <CommitMarks commit={commit} />
      </p>
      <div className={styles.meta}>
        <When at={commit.at} />
        {commit.publish !== null && commit.publish >= commit.first && <PublishLink revision={commit.publish} />}
        <CommitLink revision={commit.revision} />
        {canUndo && (
          <Button
            look="quiet"
            isSmall
            className={styles.undo}
            onClick={undo}
            aria-label={`Undo… (commit ${commit.revision})`}
            title={`It ${UNDO_MEANS}: shown first`}
          >
            Undo…
          </Button>
        )}
      </div>
      <UndoneBy commit={commit} />
      {commit.why !== undefined && (
        <p className={styles.why}>
          <WhySaid why={commit.why} />
        </p>
      )}
      {isAnyTold && (
        <div className={styles.effects}>
          {money.map(({ player, collection, key, field, delta }, place) => (
            <span key={`${collection}/${key}/${field}`}>
              {about === undefined && key !== who && player !== money[place - 1]?.player && (
                <>
                  <PlayerOr player={player} players={commit.players} />{' '}
                </>
              )}
              {field} <span className={isLess(delta) ? styles.less : styles.more}>{signed(delta)}</span>
            </span>
          ))}
          <FieldsSaid said={fields} commit={commit} />
          {commit.managed?.map((each) => (
            <ManagedSaid key={`${each.what} ${each.id}`} managed={each} />
          ))}
          {others.map((document) => (
            <span key={`${document.collection}/${document.key}`}>
              {document.change} <DocumentLink document={document} commit={commit} />
            </span>
          ))}
        </div>
      )}
      {about !== undefined && acts === 'all' && <RestoreBefore commit={commit} player={about} className={styles.back} />}
      {about !== undefined && acts === 'before' && (
        <RestoreBefore commit={commit} player={about} className={classes(styles.before, buttonClass('plain', true))} text="Before this" />
      )}
    </li>
  );
}

interface FieldsSaidProps {
  readonly said: readonly FieldSaid[];
  readonly commit: Commit;
}

/** What fields became, one beside the other. */
export function FieldsSaid({ said, commit }: FieldsSaidProps) {
  const documentOf = (name: string) => commit.documents.find(({ collection, key }) => `${collection}/${key}` === name);
  return said.map(({ of, isNamed, path, text }) => (
    <span key={`${of}/${path}`}>
      {isNamed && <NamedDocument document={documentOf(of)} commit={commit} />}
      {path} <span className={styles.became}>{text}</span>
    </span>
  ));
}

/** Which key or page it was, and what settings, or what the key may do, were and became. */
export function ManagedSaid({ managed }: { readonly managed: Managed }) {
  const { what, change, id, called } = managed;
  return (
    <>
      {(id ?? called) !== undefined && (
        <span>
          {what} {what === 'key' && id !== undefined && change !== 'removed' ? <KeyLink keyId={id} label={called} /> : (called ?? id)}
        </span>
      )}
      {managedSaid(managed).map(({ path, text }) => (
        <span key={path}>
          {path} <span className={styles.became}>{text}</span>
        </span>
      ))}
    </>
  );
}

/** Whose field it is, before the field. */
function NamedDocument({ document, commit }: { readonly document: Commit['documents'][number] | undefined; readonly commit: Commit }) {
  if (document === undefined) return null;
  return (
    <>
      <DocumentLink document={document} commit={commit} />:{' '}
    </>
  );
}

interface RestoreBeforeProps {
  readonly commit: Commit;
  readonly player: string;
  readonly className?: string | undefined;
  readonly text?: string;
}

/** Leads to what a restore to the moment just before this commit would do, where somebody may do that. */
export function RestoreBefore({ commit, player, className, text = RESTORE_BEFORE }: RestoreBeforeProps) {
  const { project, at, target } = useView();
  const { first, revision, undone } = commit;
  if (!useMay()('restore', 'w') || at !== undefined || target === 'next' || undone !== undefined) return null;
  if (!isRestorable(commit, player)) return null;
  return (
    <Link
      to="/p/$project/players/$player/restore"
      params={{ project, player }}
      search={{ to: String(first - 1), before: String(revision) }}
      className={className}
      aria-label={`${text}: commit ${revision}`}
      title={`It ${RESTORE_MEANS}: shown first`}
    >
      {text}
    </Link>
  );
}

/** What a commit is besides what it did, and where. */
export function CommitMarks({ commit }: { readonly commit: Commit }) {
  return (
    <>
      {isCorrection(commit) && !isOnlyAnswered(commit) && <Chip tone="past">correction</Chip>}
      {isPastApproval(commit) && <Chip tone="bad">without approval</Chip>}
      {commit.redacted === true && <Chip tone="bad">redacted</Chip>}
    </>
  );
}
