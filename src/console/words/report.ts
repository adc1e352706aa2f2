/** What a game reported of a player, as pages tell it. */

export interface Reported {
  readonly type: string;
  readonly label: string;
  readonly source: string;
  readonly payload?: Readonly<Record<string, unknown>> | undefined;
}

const DEEDS: Readonly<Record<string, string>> = {
  'session.join': 'began to play',
  'session.leave': 'stopped playing',
  'session.heartbeat': 'was playing',
  'record.save_unconfirmed': 'a save could not be confirmed',
  'error.reported': 'an error',
  'warning.reported': 'a warning',
  'endpoint.call': 'a call',
};

/** What kind of report it is: of a type of the game's own its name. */
export function reportKind({ type }: Pick<Reported, 'type'>): string {
  return DEEDS[type] ?? type.replace(/^custom\./, '');
}

/** Whether it is the player who did something, and not the game that says it. */
export function isDeed({ type }: Pick<Reported, 'type'>): boolean {
  return type.startsWith('session.') && type in DEEDS;
}

/** Whether something went wrong. */
export function isTrouble({ type }: Pick<Reported, 'type'>): boolean {
  return type.startsWith('error.') || type === 'record.save_unconfirmed';
}

/** What it says: the game's own words; `null`: nothing besides its kind. */
export function reportMessage({ type, label, payload = {} }: Reported): string | null {
  const said = [payload['message'], label, payload['code']].find((text) => typeof text === 'string' && text !== '' && text !== type);
  return typeof said === 'string' ? said : null;
}

/** Members of a context that games name the build by. */
const VERSIONS = ['build', 'buildId', 'version', 'gameVersion', 'appVersion'];

/** Which build of the game reported it, as far as it says; `null`: it does not. */
export function reportBuild({ payload = {} }: Pick<Reported, 'payload'>): string | null {
  const { context, packageIdent, libraryVersion } = payload;
  const members = typeof context === 'object' && context !== null ? (context as Readonly<Record<string, unknown>>) : {};
  const build = VERSIONS.map((name) => members[name]).find((each) => typeof each === 'string' || typeof each === 'number');
  const library = libraryVersion === undefined ? undefined : `library ${String(libraryVersion)}`;
  const said = [packageIdent, build, library].filter((each) => each !== undefined && each !== '');
  return said.length === 0 ? null : said.map(String).join(' · ');
}

/** Members that are told beside it, so that they are not told twice. */
const TOLD = ['message', 'packageIdent', 'libraryVersion', 'sentType', 'severity', 'playerName'];

/** All else that it says; `null`: nothing. */
export function reportRest({ payload = {} }: Pick<Reported, 'payload'>): Readonly<Record<string, unknown>> | null {
  const rest = Object.entries(payload).filter(([name]) => !TOLD.includes(name));
  return rest.length === 0 ? null : Object.fromEntries(rest);
}
