import { expect, test } from 'vitest';
import { PROJECT_PREFIX, projectOf, projectStream } from '../../src/log/streams.ts';

test('a project and its stream name each other', () => {
  expect(projectStream('p1').startsWith(PROJECT_PREFIX)).toBe(true);
  expect(projectOf(projectStream('project-p1'))).toBe('project-p1');
  expect(projectOf('access-p1')).toBeNull();
});
