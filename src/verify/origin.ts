import type { Commit } from '../git/commit.ts';

/** Whose a commit with our trailers is, by what it says of itself; `why` is fit for a person. */
export type Origin = { readonly kind: 'own' } | { readonly kind: 'copied'; readonly why: string };

/**
 * How the App's own commits are told from copies: its name on GitHub, or any App's; `strict` takes all for its own, and so
 * does `isKnown` those that it says are known as that.
 */
export type OwnRule = {
  readonly slug: string | null;
  readonly strict: boolean;
  readonly isKnown?: (commit: string) => Promise<boolean>;
};

const BOT_EMAIL = /^\d+\+(.+)@users\.noreply\./;

/**
 * The App's own commits are by its bot, committed and signed by GitHub. A squash has another author, a rebase another
 * committer or, on GitHub, no signature. Names can be forged: whatever claims to be the App's own is held to its trailers,
 * so that a forged name gains nothing.
 */
export function originOf({ author, committer, signed }: Commit, { slug, strict }: OwnRule): Origin {
  if (strict) return { kind: 'own' };
  const isBot = author.name.endsWith('[bot]') && BOT_EMAIL.exec(author.email)?.[1] === author.name;
  const isApp = isBot && (slug === null || author.name === `${slug}[bot]`);
  if (!isApp) return copied(`by ${author.name}`);
  const isGitHub = committer.name.startsWith('GitHub') && committer.email.startsWith('noreply@');
  if (!isGitHub && committer.email !== author.email) return copied(`committed by ${committer.name}`);
  return signed ? { kind: 'own' } : copied('not signed, as after a rebase');
}

function copied(why: string): Origin {
  return { kind: 'copied', why };
}
