import type { Proposal } from '../state/proposal.ts';
import type { ApproverRole } from '../state/settings.ts';
import type { Person, VoteProblem } from '../state/vote.ts';

/** Why approvals have no effect. */
export type ApprovalBlock =
  /** The repository's settings are broken, so it is unknown who can approve. */
  | { readonly kind: 'settings-broken'; readonly problems: readonly string[] }
  /** This person's approval is not on the page any more as it was counted. */
  | { readonly kind: 'vote-problem'; readonly login: string; readonly problem: VoteProblem }
  /** A later comment or event could be a denial and was not read: by this internal error, or its webhook is lost. */
  | { readonly kind: 'comment-unread'; readonly errorId: string | null }
  | ApproverRefusal
  | ApprovalsMissing;

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

/** Why an `/undo` leads to no proposal. */
export type UndoRefusal =
  /** It touches the lines or paths of an open change, which can be an undo of the same change. */
  | { readonly kind: 'pending'; readonly other: Proposal }
  /** The file already has the content of before the change. */
  | { readonly kind: 'already-undone'; readonly path: string }
  /** The changed lines are gone or ambiguous, or another file is in the way. */
  | { readonly kind: 'changed-since'; readonly path: string }
  /** Our own sentence, which is safe to show to people. */
  | { readonly kind: 'refused'; readonly message: string };
