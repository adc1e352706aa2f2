import type { Publish } from '../../api/queries.ts';
import { Chip } from '../../parts/chip.tsx';
import { whoActed } from '../../words/approval.ts';
import { publishDeed } from '../../words/publish.ts';
import { KeyLink, PublishLink } from '../named.tsx';

/** Who did what by a publish; of a roll back, where it led. */
export function Deed({ publish: { action, target, actor, cause, restored } }: { readonly publish: Publish }) {
  const who = whoActed(actor);
  return (
    <>
      <strong>{actor.keyId === undefined ? who : <KeyLink keyId={actor.keyId} label={who} />}</strong> {publishDeed(action, cause)}{' '}
      <Chip tone={target}>{target}</Chip>
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
