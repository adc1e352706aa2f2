import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { buttonsQuery, type GameButton } from '../../api/buttons.ts';
import { useMay, useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { codeOf } from '../../parts/code.ts';
import { Later } from '../../parts/later.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Ahead, Card, CardBody } from '../../parts/page.tsx';
import styles from './buttons.module.css';

// Most who come to the page press nothing.
const PRESS = codeOf('press', () => import('./press.tsx').then((module) => module.PressDialog));

interface ButtonsProps {
  readonly page: GameButton['page'];
  /** For whom they are pressed; `null`: for nobody. */
  readonly player: string | null;
}

/** Buttons of the game's own on a page; nothing where there are none, or where the past is shown. */
export function GameButtons({ page, player }: ButtonsProps) {
  const view = useView();
  const mayDo = useMay();
  const isOffered = view.at === undefined && (mayDo('buttons', 'x') || mayDo('endpoints', 'x'));
  const read = useQuery({ ...buttonsQuery(view, page), enabled: isOffered });
  const [pressed, setPressed] = useState<GameButton | null>(null);
  if (!isOffered) return null;
  if (read.isPending) return <Ahead />;
  if (read.isError) return <Failed error={read.error} again={() => void read.refetch()} />;
  const { buttons, more } = read.data;
  if (buttons.length === 0) return null;
  return (
    <Card title="Actions of the game" actions={view.target === 'next' && <Chip tone="next">next</Chip>}>
      <CardBody>
        <ul className={styles.buttons}>
          {buttons.map((button) => (
            <li key={button.endpoint}>
              <Button onClick={() => setPressed(button)} title={button.description ?? undefined}>
                {button.label}…
              </Button>
            </li>
          ))}
        </ul>
        {more > 0 && <p className={styles.soft}>{more} more are not shown here; the command line runs them, too: savepoint press.</p>}
      </CardBody>
      {pressed !== null && <Later key={pressed.endpoint} code={PRESS} props={{ button: pressed, player, close: () => setPressed(null) }} />}
    </Card>
  );
}
