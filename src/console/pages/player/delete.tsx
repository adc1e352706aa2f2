import { CorrectDialog, type CorrectProps } from './correct.tsx';

const DELETED = { deleted: true } as const;

/** Deletes a document; its numbers with a ledger go down to 0. */
export function DeleteDialog({ asked, version, close }: Pick<CorrectProps, 'asked' | 'version' | 'close'>) {
  return (
    <CorrectDialog
      asked={asked}
      version={version}
      change={DELETED}
      title={`Delete ${asked.collection}/${asked.key}?`}
      sub="Its numbers with a ledger go down to 0. Its history stays, and the deletion can be undone."
      words={{ act: 'Delete it', acting: 'Deleting…', done: 'It is deleted' }}
      close={close}
    />
  );
}
