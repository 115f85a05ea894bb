import type { IncomingMessage } from 'node:http';
import type { Answer } from './answer.ts';

/** Answers one request. `invite` tells a sender that waits for it to send the body; call it before reading one. */
export type Handle = (request: IncomingMessage, invite: () => void) => Promise<Answer>;

/** What is served: exactly this method at exactly this path (without query). */
export type Route = { readonly method: 'GET' | 'POST'; readonly path: string; readonly handle: Handle };

function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

/** The route of a request; null for everything that is not in the table. */
export function findRoute(routes: readonly Route[], method: string, url: string): Route | null {
  const path = pathOf(url);
  return routes.find((route) => route.method === method && route.path === path) ?? null;
}
