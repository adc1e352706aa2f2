import { z } from 'zod';
import { absent, event, members, personalText, plainText } from './shape.ts';

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
  'person.removed': event('A person may not sign in any more.', members({ person })),
} as const;
