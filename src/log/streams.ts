/** Stream names. A project's stream holds everything of the project that must agree; its one order is what makes every commit atomic. */
export const PROJECT_PREFIX = 'project-';
/** What players report: a stream beside the project's own, from which nothing is decided. */
export const TELEMETRY_PREFIX = 'telemetry-';

/** What players' reports add up to. Written before the reports are truncated. */
export const TOTALS_PREFIX = 'totals-';

/** The people of the installation: one stream, chained like those of projects. */
export const PEOPLE_STREAM = 'people';

/** Who looked at whose data: a stream beside the project's own, chained, whose beginning is given up when it is no longer kept. */
const ACCESS_PREFIX = 'access-';

/** Every stream of the product. Any other stream in a shared engine belongs to somebody else (docs/architecture.md, "The one idea"). */
const PRODUCT_PREFIXES = [PROJECT_PREFIX, ACCESS_PREFIX, TELEMETRY_PREFIX, TOTALS_PREFIX] as const;

export function projectStream(projectId: string): string {
  return PROJECT_PREFIX + projectId;
}

/** The project whose stream this is, or `null` for any other stream. */
export function projectOf(stream: string): string | null {
  return stream.startsWith(PROJECT_PREFIX) ? stream.slice(PROJECT_PREFIX.length) : null;
}

export function telemetryStream(projectId: string): string {
  return TELEMETRY_PREFIX + projectId;
}

/** The project whose telemetry this stream holds, or `null` for any other stream. */
export function telemetryProjectOf(stream: string): string | null {
  return stream.startsWith(TELEMETRY_PREFIX) ? stream.slice(TELEMETRY_PREFIX.length) : null;
}

export function accessStream(projectId: string): string {
  return ACCESS_PREFIX + projectId;
}

export function totalsStream(projectId: string): string {
  return TOTALS_PREFIX + projectId;
}

/** The type of the fillers that a copy writes for events that were truncated, so that those after them keep their revisions. */
export const TRUNCATED = 'log.cut';

/**
 * Whether a stream may be truncated: only if nothing is decided from it. A project's own stream is kept whole, with its chain. In an
 * `access-` stream a checkpoint says what the first event that is kept links to.
 */
export function isTruncatable(stream: string): boolean {
  return stream.startsWith(ACCESS_PREFIX) || stream.startsWith(TELEMETRY_PREFIX) || stream.startsWith(TOTALS_PREFIX);
}

/** Whether the events of a stream are sealed: what another program wrote there is foreign. */
export function isChained(stream: string): boolean {
  return stream === PEOPLE_STREAM || stream.startsWith(PROJECT_PREFIX) || stream.startsWith(ACCESS_PREFIX);
}

/** Whether the stream is one of the product's own. */
export function isProductStream(stream: string): boolean {
  return stream === PEOPLE_STREAM || PRODUCT_PREFIXES.some((prefix) => stream.startsWith(prefix));
}
