import { verifyPullCommits } from '../verify.ts';
import type { Play, Session } from './session.ts';

export type Verdict = Awaited<ReturnType<typeof verifyPullCommits>>[number];

/** What git says of the commits of a pull request. */
export type Verdicts =
  | { readonly kind: 'checking' }
  | { readonly kind: 'checked'; readonly rows: readonly Verdict[] }
  | { readonly kind: 'failed'; readonly problem: string };

/** Verifies the commits since the pull request was opened, once for each head. */
export function createVerifier(session: Session): (play: Play, head: string) => Verdicts {
  const known = new Map<string, Verdicts>();
  return (play, head) => {
    const existing = known.get(head);
    if (existing !== undefined) return existing;
    known.set(head, { kind: 'checking' });
    verifyPullCommits(session.github, play.repositoryId, `${play.firstHead}..${head}`)
      .then(
        (rows) => known.set(head, { kind: 'checked', rows }),
        (error: unknown) =>
          known.set(head, { kind: 'failed', problem: error instanceof Error ? error.message : String(error) }),
      )
      .finally(session.changed);
    return { kind: 'checking' };
  };
}
