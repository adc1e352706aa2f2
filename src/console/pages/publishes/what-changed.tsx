import { useQuery } from '@tanstack/react-query';
import { publishDifferenceQuery, publishQuery } from '../../api/publishes.ts';
import type { Publish } from '../../api/queries.ts';
import { useMayReadStaged, useView } from '../../frame/view.ts';
import { CardBody, Waiting } from '../../parts/page.tsx';
import { actionIn, definitionName } from '../../words/publish.ts';
import { Changes } from './changes.tsx';
import styles from './publishes.module.css';

interface WhatProps {
  readonly publish: Publish;
  /** The revision of the publish before it. */
  readonly before: number;
}

/** What a publish changed, field by field. The history keeps some of it; where that is not all, what was there before is looked up. */
export function WhatChanged({ publish: { revision, target, changes }, before }: WhatProps) {
  const isWhole = changes.every((change) => {
    const action = actionIn(target, change);
    return action === 'add' || action === 'delete' || (action === 'change' && change.fields !== undefined && (change.more ?? 0) === 0);
  });
  const read = useQuery({ ...publishDifferenceQuery(useView(), target, before, revision), enabled: !isWhole });
  if (!isWhole && read.isPending) return <Waiting what="what it changed" />;
  const found = new Map(read.data?.changes.map((change) => [definitionName(change), change]));
  const shown = changes.map((change) => ({ ...change, ...found.get(definitionName(change)), ...actedIn(target, change) }));
  if (changes.length > 0) return <Changes changes={shown} />;
  return (
    <CardBody>
      <p className={styles.soft}>No definition: the data of next began anew.</p>
    </CardBody>
  );
}

function actedIn(target: Publish['target'], change: Publish['changes'][number]) {
  const action = actionIn(target, change);
  return action === undefined ? {} : { action };
}

/** The same of the publish at a revision, for whoever may read it. */
export function ChangedAt({ revision }: { readonly revision: number }) {
  const mayRead = useMayReadStaged();
  const read = useQuery({ ...publishQuery(useView(), revision), enabled: mayRead });
  return read.data == null ? null : <WhatChanged publish={read.data.publish} before={read.data.before} />;
}
