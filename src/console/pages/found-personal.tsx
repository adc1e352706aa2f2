import { useState } from 'react';
import { ofKind, reveal } from '../api/reveal.ts';
import { useRefresh } from '../frame/acting.ts';
import { useMay, useView } from '../frame/view.ts';
import { Button } from '../parts/button.tsx';
import { Card, CardBody } from '../parts/page.tsx';
import { RevealDialog } from './revealing.tsx';

interface LookAmongPersonalProps {
  readonly held: string;
  /** Fields that were not looked in. */
  readonly fields: readonly { readonly collection: string; readonly field: string }[];
}

/** Whether somebody has a personal value is told to whoever may know it, for a reason. */
export function LookAmongPersonal({ held, fields }: LookAmongPersonalProps) {
  const { project } = useView();
  const mayDo = useMay();
  const refresh = useRefresh();
  const [isAsking, setAsking] = useState(false);
  if (fields.length === 0) return null;
  const names = fields.map(({ collection, field }) => `${field} of ${collection}`).join(', ');
  const show = (reason: string) => {
    reveal(project, ofKind('held', held), reason);
    setAsking(false);
    void refresh();
  };
  return (
    <Card
      title="Personal values were not looked in"
      actions={mayDo('reveal', 'r') && <Button onClick={() => setAsking(true)}>Look there, too…</Button>}
    >
      <CardBody>
        {names}: whether somebody has this value would tell it.{' '}
        {mayDo('reveal', 'r') ? 'You may look, and say why.' : 'Support may look, and says why.'}
      </CardBody>
      {isAsking && <RevealDialog whose="value" show={show} close={() => setAsking(false)} />}
    </Card>
  );
}
