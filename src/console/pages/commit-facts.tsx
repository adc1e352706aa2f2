import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Commit } from '../api/queries.ts';
import { targetIn } from '../api/view.ts';
import { useView } from '../frame/view.ts';
import { Button, buttonClass } from '../parts/button.tsx';
import { Chip } from '../parts/chip.tsx';
import { CopyButton } from '../parts/copy.tsx';
import { At } from '../parts/time.tsx';
import { Zone } from '../parts/zone.tsx';
import { documentFieldsSaid, whoOf } from '../words/commit.ts';
import { exactJson } from '../words/exact.ts';
import { isLess, signed } from '../words/value.ts';
import styles from './commits.module.css';
import { CommitMarks, FieldsSaid, ManagedSaid, RestoreBefore, useCanUndo } from './commits.tsx';
import { Deed, DocumentLink, KeyLink, PlayerLink, PlayerOr, WhoLink, WhySaid } from './named.tsx';
import { UndoDialog } from './undo.tsx';
import { UndoneBy } from './undone-by.tsx';

/** All that is known of one commit: what its row in a list tells, with nothing left out. */
export function CommitFacts({ commit }: { readonly commit: Commit }) {
  const { project } = useView();
  const { first, revision, at, actor, requestId, publish, target, why, input, players, documents, money, counts, managed = [] } = commit;
  const isByKey = actor.keyId !== undefined && whoOf(commit) === actor.player;
  return (
    <>
      <dt>When</dt>
      <dd>
        <At at={at} />{' '}
        <span className={styles.soft}>
          <Zone />
        </span>
        <div className={styles.line}>
          <code>{at}</code> <CopyButton text={at} what="the time" />
        </div>
      </dd>
      <dt>Who</dt>
      <dd>
        <WhoLink commit={commit} />
        {isByKey && actor.keyId !== undefined && (
          <span className={styles.soft}>
            , by the key <KeyLink keyId={actor.keyId} label={actor.label} />
          </span>
        )}
      </dd>
      <dt>What</dt>
      <dd>
        <Deed commit={commit} /> <CommitMarks commit={commit} />
        <UndoneBy commit={commit} />
      </dd>
      {why !== undefined && (
        <>
          <dt>Why</dt>
          <dd>
            <WhySaid why={why} />
          </dd>
        </>
      )}
      {target !== undefined && (
        <>
          <dt>Where</dt>
          <dd>
            <Chip tone={target}>{target}</Chip>
          </dd>
        </>
      )}
      {input !== undefined && (
        <>
          <dt>With the input</dt>
          <dd>
            <pre className={styles.input}>{exactJson(input.value, 2)}</pre>
            {input.left !== undefined && <span className={styles.soft}>and {input.left} members more, which were not kept</span>}
          </dd>
        </>
      )}
      <Listed name="Money" all={counts?.money ?? money.length} shown={money.length}>
        {money.map(({ player, collection, key, field, delta }) => (
          <li key={`${collection}/${key}/${field}`}>
            <PlayerOr player={player} players={players} /> {collection}.{field}{' '}
            <span className={isLess(delta) ? styles.less : styles.more}>{signed(delta)}</span>
          </li>
        ))}
      </Listed>
      <Listed name="Changed" all={managed.length} shown={managed.length}>
        {managed.map((each) => (
          <li key={`${each.what} ${each.id}`} className={styles.fields}>
            <ManagedSaid managed={each} />
          </li>
        ))}
      </Listed>
      <Listed name="Documents" all={counts?.documents ?? documents.length} shown={documents.length}>
        {documents.map((document) => (
          <li key={`${document.space}/${document.collection}/${document.key}`}>
            {document.change} <DocumentLink document={document} commit={commit} />
            <div className={styles.fields}>
              <FieldsSaid said={documentFieldsSaid(document, players)} commit={commit} />
            </div>
          </li>
        ))}
      </Listed>
      <Listed name="Players" all={counts?.players ?? players.length} shown={players.length}>
        {players.map((player) => (
          <li key={player}>
            <PlayerLink player={player} />
          </li>
        ))}
      </Listed>
      <dt>Request</dt>
      <dd className={styles.line}>
        <code>{requestId}</code> <CopyButton text={requestId} what="the id of the request" />
      </dd>
      <dt>In the log</dt>
      <dd>
        {first === revision ? `revision ${revision}` : `revisions ${first} to ${revision}`}: {commit.events.join(', ')}
      </dd>
      <dt>As it was</dt>
      <dd>
        <Moments commit={commit} />
      </dd>
      {publish !== null && (
        <>
          <dt>Last publish before it</dt>
          <dd>
            <Link to="/p/$project/publishes/$revision" params={{ project, revision: String(publish) }}>
              publish {publish}
            </Link>
            <span className={styles.soft}>: what was in force then. It may have changed something else</span>
          </dd>
        </>
      )}
    </>
  );
}

interface ListedProps {
  readonly name: string;
  readonly all: number;
  readonly shown: number;
  readonly children: ReactNode;
}

function Listed({ name, all, shown, children }: ListedProps) {
  if (shown === 0) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <ul>{children}</ul>
        {all > shown && <span className={styles.soft}>and {all - shown} more</span>}
      </dd>
    </>
  );
}

/** The moments around the commit: everything as it was before its first event, and after its last. */
function Moments({ commit }: { readonly commit: Commit }) {
  const { first, revision } = commit;
  return (
    <div className={styles.moments}>
      {first > 0 && <MomentLink commit={commit} revision={first - 1} name="Just before this" />}
      <MomentLink commit={commit} revision={revision} name="As of this" />
    </div>
  );
}

/** What can be done about a commit. Of a commit of one player what was before it can be restored. */
export function CommitActs({ commit }: { readonly commit: Commit }) {
  const [isUndoing, setUndoing] = useState(false);
  const [player, another] = commit.players;
  return (
    <div className={styles.line}>
      {player !== undefined && another === undefined && (
        <RestoreBefore commit={commit} player={player} className={buttonClass('plain', true)} />
      )}
      {useCanUndo(commit) && (
        <Button isSmall onClick={() => setUndoing(true)}>
          Undo…
        </Button>
      )}
      {isUndoing && <UndoDialog commit={commit} close={() => setUndoing(false)} />}
    </div>
  );
}

interface MomentLinkProps {
  readonly commit: Commit;
  readonly revision: number;
  readonly name: string;
}

/** Where a commit names one player, it is this player that one looks at. */
function MomentLink({ commit: { players, target }, revision, name }: MomentLinkProps) {
  const { project } = useView();
  const [player, another] = players;
  const search = { at: String(revision), target: targetIn(target) };
  const look = { className: buttonClass('plain', true), title: `Everything as of revision ${revision}` };
  if (player === undefined || another !== undefined)
    return (
      <Link to="/p/$project" params={{ project }} search={search} {...look}>
        {name}
      </Link>
    );
  return (
    <Link to="/p/$project/players/$player" params={{ project, player }} search={search} {...look}>
      {name}
    </Link>
  );
}
