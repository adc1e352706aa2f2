import { absent, count, event, hash, members, personalText, plainText, playerText } from './shape.ts';

/** Events of the streams `access-…`: who looked at whose data. The person is the actor of the metadata. */

const player = absent(playerText, 'Whose they are; left out: of many, or of nobody that is named');
const players = absent(
  count,
  'Of how many, where they are too many to be named. Of one answer: the next of that minute that shows as many is not said again',
);
const page = plainText.meta({ description: 'By which route, as `docs/openapi.yaml` names the operation' });

export const LOOKING_EVENTS = {
  'look.recorded': event(
    'A person is shown data of a player, or of many. The same by the same person on the same page is said once a minute.',
    members({ player, players, page }),
  ),
  'look.revealed': event(
    'A person is shown personal values, or is told of them by what comes of a request, for this reason. The same by the same person for the same reason on the same page is said once a minute.',
    members({
      player,
      players,
      page,
      reason: personalText.meta({ description: 'As the person gave it' }),
    }),
  ),
  'look.swept': event(
    'What stands before is no longer kept. The first event that is kept links to `hash`.',
    members({
      before: count.meta({ description: 'Revision of the first event that is kept' }),
      hash: absent(hash, 'Seal of the last event that is not; left out: none was sealed'),
    }),
  ),
} as const;
