import { expect, test } from 'vitest';
import type { Command } from '../../../src/app/project/commit.ts';
import { evolveDocument, isDocumentEvent } from '../../../src/domain/document/evolve.ts';
import { storedText } from '../../../src/domain/document/packed.ts';
import type { ProjectEvent } from '../../../src/domain/events.ts';
import type { DocumentState } from '../../../src/domain/states.ts';
import { isObject, type JsonObject, parseJson, printObject } from '../../../src/kernel/json.ts';
import { decodeProjectEvent, readProjectEvent } from '../../../src/log/decode.ts';
import { STREAM, Table, THING, written } from '../support.ts';

function stored(document: JsonObject): Command<null> {
  return {
    commandId: 'c-1',
    cause: 'document.write',
    actor: { kind: 'secret' },
    decide: (ctx) => {
      ctx.read(THING('a'));
      const event = written('a', 0);
      if (event.type !== 'document.written') throw new Error('a write was expected');
      return { answer: null, events: [{ ...event, data: { ...event.data, document }, after: printObject(document) }] };
    },
  };
}

function folded(event: ProjectEvent): DocumentState {
  if (!isDocumentEvent(event)) throw new Error('an event of a document was expected');
  return evolveDocument(null, event, event.metadata.recordedAt);
}

test.each([
  '{"n":1,"list":[1,{"deep":true}],"text":"a \\"quoted\\" one"}',
  '{"id":76561198000000001,"far":1e400}',
  '{"$n":"1","10":1,"2":2}',
  '{}',
])('an event in memory is the event in the log, and folds to the same: %s', async (text) => {
  const document = parseJson(text);
  if (!isObject(document)) throw new Error('a document is an object');
  const table = new Table();
  const project = await table.open();
  await table.passing(project.execute(stored(document)));
  const [recorded] = await table.log.inner.read(STREAM, { limit: 1, direction: 'backwards' });
  if (recorded === undefined) throw new Error('nothing was stored');
  const [remembered, read] = [decodeProjectEvent(recorded), readProjectEvent(recorded)];
  expect(remembered.data).toEqual(read.data);
  expect(storedText(folded(remembered))).toBe(storedText(folded(read)));
  expect(folded(remembered).document).toEqual(folded(read).document);
  expect(project.set.durable(THING('a'))?.state).toMatchObject({ text: storedText(folded(read)) });
});
