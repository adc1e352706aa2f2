import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useView } from '../../frame/view.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Done } from '../../parts/notice.tsx';
import { Card, CardBody } from '../../parts/page.tsx';
import { Corrected, type Correction, isNothing } from '../corrected.tsx';
import { CommitLink } from '../named.tsx';
import { UndoDialog } from '../undo.tsx';
import { UndoneBy, useCommit } from '../undone-by.tsx';
import styles from './player.module.css';

interface RestoredProps {
  readonly player: string;
  readonly revision: number | null;
  readonly correction: Correction;
}

/** What a restore did, and the ways on. */
export function Restored({ player, revision, correction }: RestoredProps) {
  const { project } = useView();
  const [isUndoing, setUndoing] = useState(false);
  const commit = useCommit(revision);
  const isUndone = commit?.undone !== undefined;
  return (
    <Card title={isUndone ? 'It was restored, and that is undone' : 'It is restored'}>
      <CardBody>
        <div className={styles.stack}>
          {isUndone && <UndoneBy commit={commit} />}
          {!isUndone && (
            <Done
              actions={
                <>
                  <Link to="/p/$project/players/$player" params={{ project, player }} className={buttonClass('main')}>
                    On to the player
                  </Link>
                  {revision !== null && (
                    <Button look="quiet" isSmall onClick={() => setUndoing(true)}>
                      Undo this restore…
                    </Button>
                  )}
                </>
              }
            >
              {revision === null ? (
                <p>
                  {isNothing(correction) ? 'Nothing was to be done.' : 'It was restored before, by the same request: the time line has it.'}
                </p>
              ) : (
                <p>
                  The commit <CommitLink revision={revision} /> did it. The player sees it at the next load. It can be undone here, and
                  later on the{' '}
                  <Link to="/p/$project/players/$player/timeline" params={{ project, player }}>
                    time line
                  </Link>
                  .
                </p>
              )}
            </Done>
          )}
          <Corrected correction={correction} isDone />
        </div>
      </CardBody>
      {isUndoing && revision !== null && <UndoDialog commit={{ revision, players: [player] }} close={() => setUndoing(false)} />}
    </Card>
  );
}
