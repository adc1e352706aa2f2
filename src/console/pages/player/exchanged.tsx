import type { Commit } from '../../api/queries.ts';
import { Button } from '../../parts/button.tsx';
import { classes } from '../../parts/classes.ts';
import notice from '../../parts/notice.module.css';
import { deedOf } from '../../words/commit.ts';
import { type Exchange, keptOf, ofWhatComesBack } from '../../words/exchange.ts';
import type { placesBack } from '../../words/restore.ts';
import styles from './player.module.css';

/** Exchanges that are told. */
const EXCHANGES = 3;

interface ExchangedProps {
  readonly exchanges: readonly Exchange<Commit>[];
  readonly back: ReturnType<typeof placesBack>;
  readonly undo: (commit: Commit) => void;
}

/** What the player got for what comes back: whether it goes back with it, or stays, so that the player would have both. */
export function Exchanged({ exchanges, back, undo }: ExchangedProps) {
  // What is not listed may be what was given away.
  const concerned = ofWhatComesBack(exchanges, [...back.places, ...back.unlisted]);
  const kept = concerned.flatMap((exchange) => {
    const gains = keptOf(exchange, back.places);
    return gains.length === 0 ? [] : [{ commit: exchange.commit, gains }];
  });
  if (concerned.length === 0) return null;
  if (kept.length === 0) return <p>What the player got for what is restored is ticked, too, so that the player does not have both.</p>;
  return (
    <div className={classes(notice.notice, notice.warning)} role="status">
      <p className={notice.happened}>The player would have both: what is restored, and what the player got for it.</p>
      <ul className={styles.exchanged}>
        {kept.slice(0, EXCHANGES).map(({ commit, gains }) => (
          <li key={commit.revision}>
            <span>
              By commit {commit.revision} ({deedOf(commit)}):{' '}
              {gains.map(({ collection, key, path, text }) => (
                <span key={`${collection}/${key}/${path}`} className={styles.gain}>
                  {path} {text}
                </span>
              ))}
            </span>
            <Button isSmall onClick={() => undo(commit)}>
              Undo commit {commit.revision} instead…
            </Button>
          </li>
        ))}
      </ul>
      {kept.length > EXCHANGES && <p>And by {kept.length - EXCHANGES} commits more: the time line lists them.</p>}
      <p>Undo takes back both sides of one commit, and nothing else. Restore leaves what is unticked, or was spent since.</p>
    </div>
  );
}
