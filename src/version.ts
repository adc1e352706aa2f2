/** The release, as `package.json` says; a test holds the two together. */
export const VERSION = '0.1.0';
