/** The help of `--message`, of the commands that publish. */
export const MESSAGE_HELP = 'why, in a line of at most 500 characters: `publishes` shows it';
