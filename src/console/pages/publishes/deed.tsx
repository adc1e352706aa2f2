import type { Publish } from '../../api/queries.ts';
import { Chip } from '../../parts/chip.tsx';
import { whoActed } from '../../words/approval.ts';
import { publishDeed } from '../../words/publish.ts';
import { KeyLink, PublishLink } from '../named.tsx';

interface DeedProps {
  readonly publish: Pick<Publish, 'action' | 'target' | 'actor'> & { readonly cause?: string; readonly restored?: number | undefined };
  /** The one publish that it undid, where that is known. */
  readonly undid?: number | null;
}

/** Who did what by a publish; of a roll back, what it undid, or where it led. */
export function Deed({ publish: { action, target, actor, cause, restored }, undid = null }: DeedProps) {
  const who = whoActed(actor);
  const whoLinked = <strong>{actor.keyId === undefined ? who : <KeyLink keyId={actor.keyId} label={who} />}</strong>;
  if (undid !== null)
    return (
      <>
        {whoLinked} undid <PublishLink revision={undid} /> in <Chip tone={target}>{target}</Chip>
      </>
    );
  return (
    <>
      {whoLinked} {publishDeed(action, cause)} <Chip tone={target}>{target}</Chip>
      {restored !== undefined && restored >= 0 && (
        <>
          {' '}
          to what it was after <PublishLink revision={restored} />
        </>
      )}
      {restored !== undefined && restored < 0 && ' to what it was before anything was published'}
    </>
  );
}
