import { CorrectDialog, type CorrectProps } from './correct.tsx';

const DELETED = { deleted: true } as const;

/** Deletes a document; its money goes down to 0. */
export function DeleteDialog({ asked, version, close }: Pick<CorrectProps, 'asked' | 'version' | 'close'>) {
  return (
    <CorrectDialog
      asked={asked}
      version={version}
      change={DELETED}
      title={`Delete ${asked.collection}/${asked.key}?`}
      sub="Its money goes down to 0. Its history stays, and the deletion can be undone."
      words={{ act: 'Delete it', acting: 'Deleting…', done: 'It is deleted' }}
      close={close}
    />
  );
}
