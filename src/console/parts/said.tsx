import { Fragment } from 'react';

/** A sentence of the server, whose commands and names stand between backticks. */
export function Said({ text }: { readonly text: string }) {
  // Every second part stands between two of them.
  const [first = '', ...rest] = text.split('`');
  if (rest.length % 2 === 1) return text;
  const pairs = rest.flatMap((code, place) => (place % 2 === 0 ? [{ code, after: rest[place + 1] ?? '', at: place }] : []));
  return (
    <>
      {first}
      {pairs.map(({ code, after, at }) => (
        <Fragment key={at}>
          <code>{code}</code>
          {after}
        </Fragment>
      ))}
    </>
  );
}
