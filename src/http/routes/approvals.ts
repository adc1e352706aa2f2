import { approvals } from '../../contract/routes/approvals.ts';
import type { Handlers } from '../handlers.ts';
import { answering } from '../request.ts';
import { managed, type Services } from './services.ts';

/** A second person before anything goes live. */
export function approvalHandlers(services: Services): Handlers<typeof approvals> {
  const { app } = services;
  return answering(services, approvals, {
    ask: async ({ caller, body }) => managed(await app.approvals.ask(caller, body)),
    list: async ({ caller, query }) => managed(await app.approvals.list(caller, query)),
    read: async ({ caller, params }) => managed(await app.approvals.read(caller, params.approval)),
    give: async ({ caller, params, body }) => managed(await app.approvals.give(caller, params.approval, body)),
    decline: async ({ caller, params, body }) => managed(await app.approvals.decline(caller, params.approval, body)),
    comment: async ({ caller, params, body }) => managed(await app.approvals.comment(caller, params.approval, body)),
    withdraw: async ({ caller, params }) => managed(await app.approvals.withdraw(caller, params.approval)),
  });
}
