import type { Input, WorkName } from '../worker/work-out.ts';

/** What the thread is asked for. */
export type Asked<Name extends WorkName = WorkName> = { readonly name: Name; readonly input: Input<Name> };

/** What it answers: each question is answered once, in order. */
export type Answer =
  | { readonly kind: 'done'; readonly output: unknown }
  | { readonly kind: 'failed'; readonly error: unknown };
