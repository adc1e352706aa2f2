/** Stream names. A project's stream holds everything of the project that must agree; its one order is what makes every commit atomic. */
export const PROJECT_PREFIX = 'project-';

export function projectStream(projectId: string): string {
  return PROJECT_PREFIX + projectId;
}

/** The project whose stream this is, or `null` for any other stream. */
export function projectOf(stream: string): string | null {
  return stream.startsWith(PROJECT_PREFIX) ? stream.slice(PROJECT_PREFIX.length) : null;
}
