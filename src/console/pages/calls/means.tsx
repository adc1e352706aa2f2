import type { LoggedRequest } from '../../api/queries.ts';
import { meaningOfRefusal } from '../../words/refused.ts';

/** What a refusal means for the player, and what to do. */
export function Means({ request }: { readonly request: Pick<LoggedRequest, 'slug' | 'code'> }) {
  const meaning = meaningOfRefusal(request);
  if (meaning === null) return <p>The server’s own sentence says all that is known of it.</p>;
  return (
    <p>
      {meaning.means} {meaning.toDo}
    </p>
  );
}
