import type { UserEditRefusal } from '../edits/build/user-edit.ts';
import type { ApproverRole } from '../state/settings.ts';
import type { Person } from '../state/vote.ts';
import type { ProposalLink } from './reply-links.ts';

/** Why approvals have no effect. */
export type ApprovalBlock =
  /** The repository's settings are broken, so it is unknown who can approve. */
  { readonly kind: 'settings-broken'; readonly problems: readonly string[] } | ApproverRefusal | ApprovalsMissing;

/** Why a person's approval of a change does not count. */
export type ApproverRefusal =
  /** A rule denies this path now, so that nobody's approval counts. */
  | { readonly kind: 'denied-path'; readonly path: string; readonly rule: string }
  /** The person lacks this role. */
  | { readonly kind: 'role-missing'; readonly login: string; readonly role: ApproverRole }
  /** The person is no known owner of this path, or of another one of the change. */
  | { readonly kind: 'not-owner'; readonly login: string; readonly path: string; readonly isTeamUnread: boolean }
  /** The author of the pull request, or the requester of the change, does not count here. */
  | { readonly kind: 'is-author' | 'is-requester'; readonly login: string };

/** The approvals count, but more people are needed, or an owner of this path. */
export type ApprovalsMissing = {
  readonly kind: 'approvals-missing';
  readonly missing: number;
  readonly path: string | null;
};

/** Why `/approve always` approves one change only. */
export type StandingObstacle =
  | 'switched-off'
  | 'not-your-run'
  /** A rule asks for other people's approval too. */
  | 'needs-others'
  /** Each such change needs a person who looks at it. */
  | 'needs-a-look'
  | 'unclear-scope'
  | 'too-many';

/** Why a standing approval ended before its time: a person took it back, or might have. */
export type StandingEnd = { readonly kind: 'revoked'; readonly by: Person } | { readonly kind: 'comment-unread' };

/**
 * Why no run resumes: none ended in a resumable way, a run is active or queued, or the comment was written before the
 * run ended.
 */
export type ResumeRefusal = 'no-resumable-run' | 'run-active' | 'written-before-end';

/** Why an `/undo` leads to no proposal. */
export type UndoRefusal =
  /** It touches the lines or paths of an open change, which can be an undo of the same change. */
  | { readonly kind: 'pending'; readonly other: ProposalLink }
  /** The file already has the content of before the change. */
  | { readonly kind: 'already-undone'; readonly path: string }
  /** The changed lines are gone or ambiguous, or another file is in the way. */
  | { readonly kind: 'changed-since'; readonly path: string }
  /** Our own sentence, which is safe to show to people. */
  | { readonly kind: 'refused'; readonly message: string };

/** Why a suggestion block in a reply has no effect. */
export type UserEditProblem =
  | UserEditRefusal
  /** It exceeded the limits of time or memory. */
  | { readonly reason: 'limit-exceeded' }
  | { readonly reason: 'not-in-thread' }
  /** The proposal is a set of changes, of which a block could only mean one. */
  | { readonly reason: 'several-changes' }
  /** It has exactly the proposed lines, and text beside it that can mean the opposite of an approval. */
  | { readonly reason: 'same-lines-beside-text' }
  /** There are several blocks, or it is uncertain which lines are one. */
  | { readonly reason: 'unclear-block' }
  | { readonly reason: 'denied-path'; readonly rule: string }
  /** It would touch the lines of another open change. */
  | { readonly reason: 'overlaps'; readonly other: ProposalLink };
