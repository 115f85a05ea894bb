import { type GitHub, NotOurs } from '../../worker/ports.ts';

/** What writes to GitHub. */
export const WRITES: ReadonlySet<PropertyKey> = new Set([
  'createReview',
  'updateReview',
  'dismissReview',
  'createFileComment',
  'createComment',
  'reply',
  'updateComment',
  'resolveThread',
  'react',
  'commit',
] as const satisfies readonly (keyof GitHub)[]);

/** The same GitHub, which refuses each write that may not be made by then, as the adapter does. */
export function writingWhile(github: GitHub, mayWrite: () => boolean): GitHub {
  return new Proxy(github, {
    get(target, name) {
      if (WRITES.has(name) && !mayWrite()) return () => Promise.reject(new NotOurs());
      return Reflect.get(target, name);
    },
  });
}
