import { z } from 'zod';
import { absent, event, hash, members, personalText, plainText, time } from './shape.ts';

/** Events of what goes live with a second person's approval, and what was said about it. */

/** What may be approved. A push that changes live is refused instead. */
export const RELEASE_ACTIONS = ['promote', 'rollback'] as const;

const approval = plainText.meta({ description: 'Its id' });
const action = z.enum(RELEASE_ACTIONS);
const to = absent(z.int(), 'Of a rollback: the revision of the publish that live shows again; −1: before any');
const difference = hash.meta({ description: 'SHA-256 of what would change: kind, id and hash of each definition' });
const ticket = absent(plainText, 'Of the support desk');
const promotion = plainText.meta({ description: 'Its id' });
const base = hash.meta({ description: 'Content hash of live without saved tests, which the difference is to' });

export const RELEASE_EVENTS = {
  'approval.requested': event(
    'Somebody asks for a second person before something goes live. Any change of it, or of live, voids it.',
    members({ approval, action, to, difference, base }),
  ),
  'approval.given': event('A second person agrees to exactly this difference.', members({ approval, difference, base })),
  'approval.declined': event('A person does not agree, or no longer.', members({ approval })),
  'approval.withdrawn': event('It is asked for no more.', members({ approval })),
  'approval.bypassed': event(
    'An owner makes live, in this commit, what nobody approved.',
    members({ approval, action, to, difference, base, reason: plainText.meta({ description: 'Why' }) }),
  ),
  'promotion.scheduled': event(
    'What is staged is to go live at a time. Any change of it, or of live, voids this.',
    members({
      promotion,
      at: time.meta({ description: 'When, in Unix ms' }),
      difference,
      base,
      message: absent(plainText, 'Why, which the publish tells then'),
      ticket: absent(plainText, 'Of the support desk, which the publish tells, too'),
    }),
  ),
  'promotion.unscheduled': event(
    'It is not to go live by itself any more.',
    members({ promotion, reason: absent(plainText, 'Why'), ticket }),
  ),
  'promotion.missed': event(
    'Its time came, and it did not go live.',
    members({ promotion, code: plainText.meta({ description: 'Code of the refusal' }), reason: plainText.meta({ description: 'Why' }) }),
  ),
} as const;

/** Comments tell of people, and may be forgotten: no decision rests on them. */
export const COMMENT_EVENTS = {
  'approval.commented': event(
    'What somebody said about it.',
    members({
      approval,
      text: personalText.meta({ description: 'Empty where a ticket alone was named' }),
      ticket: absent(personalText, 'Of the support desk'),
      with: absent(z.enum(['request', 'approve', 'decline', 'withdraw']), 'What it was said with'),
    }),
  ),
} as const;
