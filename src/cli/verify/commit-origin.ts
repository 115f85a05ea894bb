import { addressDomain } from '../../core/policy/commit-message.ts';
import type { GitCommit } from '../git/objects.ts';

/**
 * Who made a commit with trailers. `app`: proven by a signature or the ledger. `unknown`: author and committer are the
 * App's and GitHub's, and anybody can write these names. `other`: another person, or an unknown one.
 */
export type CommitOrigin =
  | { readonly kind: 'app' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'other'; readonly reason: string };

/** Tells the App's own commits from others. */
export type OriginRule = {
  /** The App's name on GitHub; null accepts any App. */
  readonly slug: string | null;
  /** The host name of the GitHub server, such as `github.com`. */
  readonly host: string;
  /** Every commit must be the App's own. A missing signature is then no sign of a copy, unless keys are given. */
  readonly isRequired: boolean;
  /** Checks the signature of a commit against the given keys. Null accepts it; otherwise the reason against it. */
  readonly findSignatureProblem?: (commit: string) => Promise<string | null>;
  /** Commits in the ledger are the App's own. */
  readonly isInLedger?: (commit: string) => Promise<boolean>;
};

/**
 * The author of the App's own commits is its bot, and GitHub commits and signs them. A squash has another author, and a
 * rebase has another committer or no signature.
 */
export async function findOrigin(id: string, commit: GitCommit, rule: OriginRule): Promise<CommitOrigin> {
  if ((await rule.isInLedger?.(id)) === true) return { kind: 'app' };
  const otherName = findOtherName(commit, rule);
  if (otherName !== null) return { kind: 'other', reason: otherName };
  const { isRequired, findSignatureProblem } = rule;
  if (!commit.isSigned && !(isRequired && findSignatureProblem === undefined))
    return { kind: 'other', reason: 'not signed, as after a rebase' };
  if (findSignatureProblem === undefined) return { kind: 'unknown' };
  const problem = await findSignatureProblem(id);
  return problem === null ? { kind: 'app' } : { kind: 'other', reason: problem };
}

/** GitHub's names as a committer, on github.com and on a server of one's own. */
const GITHUB_NAMES: readonly string[] = ['GitHub', 'GitHub Enterprise'];

function findOtherName({ author, committer }: GitCommit, { slug, host }: OriginRule): string | null {
  const domain = addressDomain(host.toLowerCase());
  const [, login] = /^\d+\+([^@]+)@/.exec(author.email) ?? [];
  const isBot = author.name.endsWith('[bot]') && login === author.name;
  const isOnHost = author.email.toLowerCase().endsWith(`@users.noreply.${domain}`);
  if (!isBot || (slug !== null && author.name.toLowerCase() !== `${slug}[bot]`.toLowerCase()))
    return `by ${shorten(author.name)}`;
  if (!isOnHost) return `by ${shorten(author.name)} of another server, ${shorten(author.email)}`;
  const isGitHub = GITHUB_NAMES.includes(committer.name) && committer.email.toLowerCase() === `noreply@${domain}`;
  return isGitHub || committer.email === author.email ? null : `committed by ${shorten(committer.name)}`;
}

/** The reason is in every row of the commit. */
function shorten(name: string): string {
  return name.length <= MAX_NAME_CHARACTERS ? name : `${name.slice(0, MAX_NAME_CHARACTERS)}…`;
}

const MAX_NAME_CHARACTERS = 100;
