import type { LiveEvent } from '../../app/app.ts';
import { live } from '../../contract/routes/live.ts';
import { present, targetOf } from '../credentials.ts';
import { EVENT_STREAM, EVENT_STREAM_HEADERS, type EventStream, frameOf } from '../event-stream.ts';
import { headerText, param, queryOf, queryParam } from '../exchange.ts';
import type { Handlers } from '../handlers.ts';
import { shownEvents } from '../masking.ts';
import { endRevealedInTime } from '../reveal.ts';
import type { Services } from './services.ts';

/** Most characters of a frame besides its data. */
const FRAME_OVERHEAD = 64;

/** Changes as they happen. */
export function liveHandlers({ app, streams, settings }: Services): Handlers<typeof live> {
  return {
    async listen(ctx) {
      const { exchange } = ctx.state;
      const sent = queryOf(exchange)['topic'] ?? [];
      const project = param(ctx, 'project');
      const shown = await shownEvents(app, exchange, project);
      const stream = await app.live.open(project, present(exchange, live.listen), {
        topics: Array.isArray(sent) ? sent : [sent],
        target: targetOf(exchange),
        address: exchange.addressOf(exchange.req),
        lastEventId: headerText(exchange, 'last-event-id') || queryParam(ctx, 'lastEventId') || null,
      });
      const opened = streams.open({
        project,
        response: ctx.res,
        maxWaiting: settings.liveWaitingBytes,
        onRoom: () => stream.room(),
        onSilence: () => stream.keepAlive(),
        onClose: () => stream.close(),
      });
      endRevealedInTime(exchange, project, opened);
      // The client may have disconnected while its topics were opened.
      if (ctx.res.destroyed) opened.body.destroy();
      else stream.start(sinkOf(opened, shown));
      return { stream: opened.body, contentType: EVENT_STREAM, headers: EVENT_STREAM_HEADERS };
    },
  };
}

function sinkOf(stream: EventStream, shown: (event: LiveEvent) => LiveEvent) {
  return {
    send: (event: LiveEvent) => void stream.send(frameOf(shown(event))),
    roomFor: (characters: number) => stream.roomFor(characters + FRAME_OVERHEAD),
    end: () => stream.end(),
  };
}
