/** The help of `--message`, of the commands that publish. */
export const MESSAGE_HELP = 'why, in a line of at most 500 characters: `publishes` shows it';

/** The help of `--reason` where it may be left out. */
export const REASON_HELP = 'why, in a line of at most 500 characters: `user history` and the page People show it';

/** The help of `--ticket`, of every command that may name one. */
export const TICKET_HELP = 'of the support desk';

/** The help of `--break-glass`, of the commands that a second person has to agree to. */
export const BREAK_GLASS_HELP = 'as an owner, go past the second person that the project asks for; -m says why, and the history tells it';
