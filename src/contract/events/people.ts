import { z } from 'zod';
import { absent, count, event, list, members, personalHash, personalText, plainText } from './shape.ts';

/** Events of the stream `people`: who may sign in to the console of an installation, and what for. No secret is in them. */

/** Roles of people in a project. */
export const ROLES = ['owner', 'manager', 'designer', 'support', 'auditor', 'viewer'] as const;

const person = plainText.meta({ description: 'Id of the person' });
const project = plainText.meta({ description: 'Id of the project; `*`: every one' });

export const PEOPLE_EVENTS = {
  'person.added': event(
    'A person is let in.',
    members({
      person,
      name: personalText.meta({ description: 'By which the person signs in and is shown' }),
      email: absent(personalText, 'Where the person is reached'),
    }),
  ),
  'person.roleGiven': event('A person has this role in a project from now on.', members({ person, project, role: z.enum(ROLES) })),
  'person.roleTaken': event('A person has no role in a project any more.', members({ person, project })),
  'person.linked': event(
    'An account of an issuer (OpenID Connect) signs this person in from now on, in place of another one of the same issuer.',
    members({
      person,
      issuer: plainText.meta({ description: 'Address of the issuer' }),
      account: personalHash.meta({
        description: 'SHA-256 of the address of the issuer, a line feed, and its name for the account (`sub`)',
      }),
    }),
  ),
  'person.unlinked': event('No account of this issuer signs the person in any more.', members({ person, issuer: plainText })),
  'person.reset': event(
    'The password of a person is forgotten and every session ended; whoever did it got a link that signs the person in.',
    members({ person }),
  ),
  'person.removed': event('A person may not sign in any more.', members({ person })),
  'person.signedOut': event(
    'Somebody else ended where a person was signed in.',
    members({ person, sessions: z.enum(['one', 'all']).meta({ description: 'How many of them' }) }),
  ),
  'person.linkMade': event(
    'Whoever has the machine made a link that signs the person in, once: by `savepoint console link`, or a first start printed it.',
    members({ person }),
  ),
  'person.explained': event(
    'Why somebody did with a person what the other events of the same commit say. It may be forgotten: no decision rests on it.',
    members({ person, reason: absent(personalText, 'Why'), ticket: absent(personalText, 'Of the support desk') }),
  ),
  'person.forgotten': event(
    'The data of these events of the stream, which name a person who was removed, may be replaced by their commitments.',
    members({ person, revisions: list(count) }),
  ),
} as const;
