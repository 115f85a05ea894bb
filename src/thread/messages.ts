import type { Input, WorkName } from '../worker/work-out.ts';

/** What the thread is asked for. */
export type Asked<Name extends WorkName = WorkName> = { readonly name: Name; readonly input: Input<Name> };

/**
 * A list's entries are sent before the rest, each by itself: to copy many at once would keep the event loop. They are those
 * of the question that follows, by the list's name.
 */
export type Sent = { readonly entry: unknown; readonly of: string } | Asked;

/** What it answers: each question is answered once, in order. */
export type Answer =
  | { readonly kind: 'done'; readonly output: unknown }
  | { readonly kind: 'failed'; readonly error: unknown };
