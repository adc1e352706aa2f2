/** What a session was opened with, as people call it. */

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
];
/** A browser that is made of another one names both, so the order counts. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];

/** `Firefox on Windows`, as a browser's own name for itself says; else that name. */
export function deviceOf(agent: string): string {
  const browser = BROWSERS.find(([pattern]) => pattern.test(agent))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(agent))?.[1];
  if (browser === undefined) return agent === '' ? 'Something without a name' : agent.slice(0, 60);
  return system === undefined ? browser : `${browser} on ${system}`;
}

/** From where, as a sentence may end. `null`: the machine that the server runs on. */
export function placeOf(address: string | null): string {
  return address ?? 'the server’s own machine';
}
