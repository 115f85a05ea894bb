import type { MisleadingLine, UserEditRefusal } from '../edits/build/user-edit.ts';
import type { CommandName } from '../state/intent.ts';
import type { ReachedRunLimit } from '../state/limits.ts';
import { nameOf, type Proposal, type ProposalState } from '../state/proposal.ts';
import { decidingVotes, isInstructed } from '../state/proposal-lifecycle.ts';
import type { AgentQuestion, QuestionInput } from '../state/question.ts';
import type { EndReason, Phase } from '../state/run.ts';
import type { CodeOwnersFile, SettingsInForce } from '../state/settings.ts';
import type { Person, StandingApproval, StandingApprovalRef } from '../state/vote.ts';
import type { VoteProblem } from '../state/vote-source.ts';
import type { RequiredPermission } from './app-setup.ts';

/** Every reply of the App. `core/messages/replies.ts` renders them. */
export type Reply =
  | { readonly kind: 'owner-not-allowed'; readonly owner: string }
  | {
      readonly kind: 'not-allowed';
      readonly login: string;
      readonly command: CommandName | 'mention' | 'unknown-command';
    }
  /** The App's installation lacks these permissions, so that no run starts. */
  | { readonly kind: 'permission-missing'; readonly permissions: readonly RequiredPermission[] }
  /** The repository, or the person in it, has started as many runs as a day may have. */
  | { readonly kind: 'runs-per-day'; readonly limit: ReachedRunLimit }
  | { readonly kind: 'pull-not-open'; readonly state: 'closed' | 'merged' }
  /** Several proposals are pending and the comment does not identify one. */
  | {
      readonly kind: 'ambiguous';
      readonly command: 'approve' | 'deny' | 'edit' | 'show';
      /** The comment quotes something that names none of them. */
      readonly isBelowQuote: boolean;
      readonly pending: readonly ProposalLink[];
    }
  | { readonly kind: 'nothing-pending'; readonly command: CommandName }
  /** `/approve all` and similar commands skip these, because they were posted in the same second or later. */
  | { readonly kind: 'posted-later'; readonly postedLater: readonly ProposalLink[] }
  /** The comments of the review already decide every proposal that its body could mean. */
  | { readonly kind: 'decided-in-threads' }
  /** `/approve all` leaves these out: their comment is minimized, or their thread resolved. */
  | { readonly kind: 'hidden-left-out'; readonly proposals: readonly ProposalLink[] }
  /** The repository takes decisions only in the conversation. `id` is that of the thread's proposal. */
  | { readonly kind: 'decide-in-conversation'; readonly command: CommandName; readonly id: string | null }
  | { readonly kind: 'unknown-ids'; readonly ids: readonly string[]; readonly pending: readonly ProposalLink[] }
  /** The command needs the id of a change. `changes` are those that it can mean, newest first. */
  | { readonly kind: 'id-missing'; readonly command: 'show' | 'undo'; readonly changes: readonly ProposalLink[] }
  | { readonly kind: 'already-decided'; readonly proposals: readonly ProposalOutcome[] }
  /** An instruction to changes that are decided. Without its command it would go to the agent. */
  | { readonly kind: 'edit-too-late'; readonly proposals: readonly ProposalOutcome[] }
  | {
      readonly kind: 'malformed-command';
      readonly command: CommandName | null;
      readonly word: string;
      readonly hint: string;
    }
  | { readonly kind: 'unknown-command'; readonly word: string; readonly nearest: CommandName | null }
  | { readonly kind: 'affirmation'; readonly id: string }
  | { readonly kind: 'empty-reply'; readonly id: string }
  /** Words below a quote of the App's comment that has no id line. */
  | {
      readonly kind: 'partly-quoted';
      readonly of:
        | { readonly kind: 'proposals'; readonly proposals: readonly ProposalLink[] }
        | { readonly kind: 'question'; readonly question: QuestionLink };
    }
  /** A command's word without its slash, or the number of a choice of the open question. */
  | {
      readonly kind: 'bare-command';
      readonly command: CommandName;
      readonly choice: { readonly id: string; readonly number: number } | null;
    }
  /** A suggestion block that cannot be used as a person's own text. */
  | { readonly kind: 'user-edit-refused'; readonly id: string; readonly problem: UserEditProblem }
  /** `isTask` if the comment gave the task of the run, or a queued one. */
  | { readonly kind: 'edited-into-command'; readonly isTask: boolean }
  /** The App's comments on these were edited or deleted. They are rewritten and nothing was approved. */
  | { readonly kind: 'comment-tampered'; readonly proposals: readonly ProposalLink[] }
  /** The App's comments did not show exactly the changes that are stored. They are rewritten and nothing was approved. */
  | { readonly kind: 'comment-mismatch'; readonly proposals: readonly ProposalLink[] }
  /** A person who can decide edited a comment of the App. It was restored; the reply names better ways. */
  | { readonly kind: 'comment-repaired'; readonly id: string }
  /** Comments were edited or deleted too often, so their changes were withdrawn. */
  | { readonly kind: 'comment-repair-limit'; readonly proposals: readonly ProposalLink[] }
  | {
      readonly kind: 'retargeted';
      readonly from: string;
      readonly to: string;
      readonly proposals: readonly ProposalLink[];
    }
  /** These proposals and questions expire soon, the first one at GitHub's time `expiresAt`. */
  | {
      readonly kind: 'reminder';
      readonly requesters: readonly Person[];
      readonly proposals: readonly ProposalLink[];
      readonly questions: readonly QuestionLink[];
      readonly expiresAt: string;
    }
  | { readonly kind: 'deleted-after-decision'; readonly proposals: readonly ProposalOutcome[] }
  /** A rule refused an earlier commit of this run. */
  | { readonly kind: 'push-refused'; readonly headRef: string }
  | { readonly kind: 'fork'; readonly headRef: string }
  | { readonly kind: 'task-queued'; readonly position: number }
  | { readonly kind: 'task-queue-full'; readonly max: number; readonly whose: 'own' | 'all' }
  /** `/stop` between two runs dropped these queued tasks. */
  | { readonly kind: 'queue-dropped'; readonly droppedTasks: readonly string[] }
  | { readonly kind: 'no-run'; readonly command: CommandName | 'mention' }
  | { readonly kind: 'committed'; readonly sha: string; readonly proposals: readonly ProposalLink[] }
  /** A person's own lines that no longer fit the file. */
  | { readonly kind: 'user-edit-stale'; readonly by: Person; readonly proposals: readonly ProposalLink[] }
  /** `undoneProposalIds` are the changes that the undos among the proposals would have reversed. */
  | {
      readonly kind: 'stale';
      readonly proposals: readonly ProposalLink[];
      readonly undoneProposalIds: readonly string[];
    }
  /** Approved readings that are pending again, because their approvals could not be checked. */
  | { readonly kind: 'readings-unchecked'; readonly proposals: readonly ProposalLink[]; readonly message: string }
  | { readonly kind: 'commit-failed'; readonly proposals: readonly ProposalLink[]; readonly message: string }
  /** Approved, but commit attempts have failed for a while and continue. */
  | { readonly kind: 'commit-delayed'; readonly proposals: readonly ProposalLink[] }
  /** GitHub's commit differs from what was approved. `summary` describes the difference in plain text. */
  | {
      readonly kind: 'commit-mismatch';
      readonly sha: string;
      readonly proposals: readonly ProposalLink[];
      readonly summary: string;
    }
  /** An approval does not count, or more are needed. These proposals stay pending. */
  | {
      readonly kind: 'approval-not-counted';
      readonly block: ApprovalBlock;
      readonly proposals: readonly ProposalLink[];
    }
  /** The same block, found right before the commit: these proposals are pending again. */
  | { readonly kind: 'approval-lapsed'; readonly block: ApprovalBlock; readonly proposals: readonly ProposalLink[] }
  /**
   * GitHub no longer shows this person's approval as it was counted, so it is no vote. These proposals are pending again
   * (`isPending`), or other approvals are enough for them.
   */
  | {
      readonly kind: 'approval-withdrawn';
      readonly login: string;
      readonly problem: VoteProblem;
      readonly isPending: boolean;
      readonly proposals: readonly ProposalLink[];
    }
  /**
   * A later comment could not be processed because of this internal error, so the approved proposals are pending again.
   */
  | { readonly kind: 'approvals-suspended'; readonly errorId: string; readonly proposals: readonly ProposalLink[] }
  | { readonly kind: 'undo-refused'; readonly proposalId: string; readonly refusal: UndoRefusal }
  /** An undo is the exact reverse of a change, so it cannot be revised. */
  | { readonly kind: 'undo-not-editable'; readonly proposals: readonly ProposalLink[] }
  | { readonly kind: 'resume-refused'; readonly refusal: ResumeRefusal }
  /** The output of `/show`; `diff` is null for a change without one. */
  | {
      readonly kind: 'proposal-details';
      readonly proposal: ProposalLink;
      readonly outcome: ProposalOutcome;
      readonly digest: string;
      readonly diff: string | null;
    }
  /** The model's answer to a question. It decides nothing. */
  | {
      readonly kind: 'side-question-answered';
      readonly by: Person;
      readonly question: string;
      readonly content: string | null;
      /** Why the answer can be incomplete; null if nothing says so. */
      readonly caveat: SideQuestionCaveat | null;
    }
  /** The questions of the day cost as much as one run may. `isUnpriced`: nobody knows what it would cost. */
  | {
      readonly kind: 'side-question-limit';
      readonly by: Person;
      readonly question: string;
      readonly limit: 'tokens' | 'cost_usd';
      readonly isUnpriced: boolean;
      readonly freeAt: string;
    }
  | { readonly kind: 'side-question-failed'; readonly by: Person; readonly question: string; readonly message: string }
  /** A comment that could be meant as an answer to a question of the agent, and was not taken as one. */
  | { readonly kind: 'question-hint'; readonly question: QuestionLink; readonly hint: QuestionHint }
  | { readonly kind: 'question-closed'; readonly question: QuestionLink; readonly by: Person | null }
  /** No question can be meant; `id` is the one that the comment names. */
  | { readonly kind: 'no-question'; readonly command: CommandName; readonly id: string | null }
  | { readonly kind: 'side-question-queue-full'; readonly max: number; readonly whose: 'own' | 'all' }
  /**
   * A comment or event could not be processed because of an internal error; `stored-schema` if another version stored
   * the run.
   */
  | { readonly kind: 'internal-error'; readonly errorId: string; readonly about: 'comment' | 'event' | 'stored-schema' }
  /** `/approve always` approved a change, and later ones too. */
  | {
      readonly kind: 'standing-granted';
      readonly approval: StandingApprovalLine;
      /** A path of the approved change that the standing approval does not reach. */
      readonly beyond?: string;
    }
  /** It approved this change alone. */
  | { readonly kind: 'standing-refused'; readonly id: string; readonly obstacle: StandingObstacle }
  | { readonly kind: 'standing-approvals'; readonly approvals: readonly StandingApprovalLine[] }
  | { readonly kind: 'standing-unknown'; readonly number: number; readonly approvals: readonly StandingApprovalLine[] }
  /** A standing approval ended before its time. These proposals are pending again. */
  | {
      readonly kind: 'standing-ended';
      readonly approval: StandingApprovalLine;
      readonly cause: StandingEnd;
      readonly proposals: readonly ProposalLink[];
    }
  | { readonly kind: 'help' }
  | {
      readonly kind: 'status';
      readonly pending: readonly ProposalLink[];
      /** The question that waits for an answer; null if there is none. */
      readonly question: QuestionLink | null;
      /** What the active run does; null if none is active. */
      readonly activity: RunActivity | null;
      readonly queuedTasks: number;
      readonly pendingSideQuestions: number;
      /** Whether `/resume` can resume the last run. */
      readonly canResume: boolean;
    }
  | ({ readonly kind: 'config' } & SettingsInForce)
  /** The one mention of the requester, at the end of a run. `droppedTasks` were queued behind it. */
  | {
      readonly kind: 'run-ended';
      readonly requester: Person;
      readonly reason: EndReason;
      readonly by: Person | null;
      /** Numbers of the run's proposals. */
      readonly proposed: number;
      readonly applied: number;
      readonly denied: number;
      /** Not made because a person asked for something else, and proposed again in another form. */
      readonly replaced: number;
      /** The same, and no new version came of it. */
      readonly instructed: number;
      /** Withdrawn without a new version. */
      readonly withdrawn: number;
      readonly commits: readonly string[];
      /** A sentence of the App or of GitHub about the end. */
      readonly note: string | null;
      /** The model's closing words. */
      readonly summary: string | null;
      readonly droppedTasks: readonly string[];
    };

/** Why approvals have no effect. */
export type ApprovalBlock =
  /** The repository's settings are broken, so it is unknown who can approve. */
  | { readonly kind: 'settings-broken'; readonly problems: readonly string[] }
  | {
      readonly kind: 'objection';
      readonly objection: Objection;
      readonly login: string;
      /** The setting that demands the role or the code owners. */
      readonly setting: 'approvers' | 'require';
      /** Null unless the objection is about code owners. */
      readonly ownership: Ownership | null;
    }
  /** A rule denies this path now, so no approval of the change counts. `linked`: a link shows a file of it there. */
  | { readonly kind: 'denied-path'; readonly path: string; readonly rule: string; readonly linked?: true }
  /** The approvals count, but more people are needed, or an owner of each of these paths. */
  | { readonly kind: 'approvals-missing'; readonly missing: number; readonly ownership: Ownership | null };

/** The paths of a change that need the approval of one of their owners, and the file that names these. */
export type Ownership = {
  readonly file: CodeOwnersFile;
  readonly paths: readonly { readonly path: string; readonly owners: readonly string[] }[];
  /** Teams among the owners whose members the App cannot see. */
  readonly unreadableTeams: readonly string[];
};

/** Why a person's approval does not count. */
export type Objection =
  | 'denied-path'
  | 'no-write-access'
  | 'below-maintain'
  | 'below-admin'
  | 'no-code-owner'
  | 'not-code-owner'
  | 'is-author'
  | 'is-requester'
  | 'is-instructor'
  | 'is-writer'
  | 'is-earlier-writer';

/** A standing approval as people read about it. */
export type StandingApprovalLine = StandingApprovalRef & { readonly by: Person; readonly grantedAt: string };

export function standingApprovalLine({ vote, grantedAt, ...ref }: StandingApproval): StandingApprovalLine {
  return { ...ref, by: vote.by, grantedAt };
}

/** Why `/approve always` approves one change only. */
export type StandingObstacle =
  | 'switched-off'
  | 'globs-switched-off'
  | 'not-by-the-agent'
  | 'deletes-or-moves'
  | 'protected-path'
  | 'executable'
  | 'misleading-text'
  | 'several-parts'
  | 'does-not-parse'
  | 'not-as-shown'
  | 'several-files'
  | 'unclear-scope'
  | 'too-many'
  | 'expired';

/** Why a standing approval ended before its time: a person took it back, or what it rests on is gone. */
export type StandingEnd =
  | { readonly kind: 'revoked'; readonly by: Person }
  | {
      readonly kind:
        | 'comment-changed'
        | 'comment-deleted'
        | 'review-dismissed'
        | 'account-renamed'
        | 'no-write-access'
        | 'comment-unread';
    };

/** A proposal as named in a reply. */
export type ProposalLink = { readonly id: string; readonly title: string; readonly url: string | null };

export function proposalLink(proposal: Proposal): ProposalLink {
  return { id: proposal.id, title: nameOf(proposal), url: proposal.comment?.url ?? null };
}

/** What an active run does, and how far the decisions on its last response are. */
export type RunActivity = {
  readonly phase: Phase;
  /** URL of the run's comment; null if it is not posted. */
  readonly url: string | null;
  /** Decided changes of the response that waits for decisions. */
  readonly decided: number;
  /** All changes of that response. */
  readonly proposed: number;
  /** Who decided them, each once. */
  readonly deciders: readonly Person[];
};

/** A question as named in a reply. */
export type QuestionLink = Pick<AgentQuestion, 'id' | 'state'> & {
  readonly type: QuestionInput['type'];
  /** Number of its choices; 0 for a text. */
  readonly choices: number;
  readonly url: string | null;
};

export function questionLink({ id, state, input, comment }: AgentQuestion): QuestionLink {
  const choices = input.type === 'text' ? 0 : input.choices.length;
  return { id, state, type: input.type, choices, url: comment?.url ?? null };
}

/** Why a comment is no answer to a question; `taken-as-text` if it is one, and might have been meant as a rejection. */
export type QuestionHint =
  | 'posted-later'
  | 'needs-approval'
  | 'needs-choice'
  | 'needs-text'
  | 'not-a-choice'
  | 'ambiguous-choice'
  | 'two-choices'
  | 'empty'
  | 'taken-as-text';

/** A proposal that is no longer open, with its outcome (T12). */
export type ProposalOutcome = {
  readonly id: string;
  readonly state: ProposalState;
  readonly by: Person | null;
  readonly commitSha: string | null;
  readonly replacedBy: string | null;
  /** Its last person asked for something else. */
  readonly isInstructed: boolean;
  /** Why it ended without a decision, or failed. */
  readonly note: string | null;
};

export function proposalOutcome(proposal: Proposal): ProposalOutcome {
  return {
    id: proposal.id,
    state: proposal.state,
    by: decidingVotes(proposal).at(-1)?.by ?? null,
    commitSha: proposal.commitSha,
    replacedBy: proposal.replacedBy,
    isInstructed: isInstructed(proposal),
    note: proposal.note,
  };
}

/**
 * Why no run resumes: none ended in a resumable way, a run is active or queued, or the comment was written before the
 * run ended.
 */
export type ResumeRefusal = 'no-resumable-run' | 'run-active' | 'written-before-end';

/** Why an `/undo` leads to no proposal. */
export type UndoRefusal =
  /** No change has the id. `applied` are those that can be meant, newest first. */
  | { readonly kind: 'unknown-id'; readonly applied: readonly ProposalLink[] }
  | { readonly kind: 'never-applied'; readonly outcome: ProposalOutcome }
  /** Another `/undo` of the same change is pending. */
  | { readonly kind: 'already-proposed'; readonly undo: ProposalLink }
  /** The file already has the content of before the change. */
  | { readonly kind: 'already-undone'; readonly path: string }
  /** The changed lines no longer exist, or cannot be distinguished from equal ones. */
  | { readonly kind: 'changed-since'; readonly path: string }
  /** The commit of the change is not in the repository any more. */
  | { readonly kind: 'commit-missing'; readonly sha: string }
  /** Another file or directory blocks the path of the deleted or moved file. */
  | { readonly kind: 'path-taken'; readonly path: string }
  /** `linked`: a link shows a file of the change at the path. */
  | { readonly kind: 'denied-path'; readonly path: string; readonly rule: string; readonly linked?: true }
  /** It would touch the lines or paths of another open change. */
  | { readonly kind: 'overlaps'; readonly other: ProposalLink }
  /** Our own sentences for the model, which are safe to show to people. */
  | { readonly kind: 'refused'; readonly message: string }
  /** `places` would be open together with the undo. */
  | { readonly kind: 'too-many-open'; readonly places: number; readonly max: number }
  | { readonly kind: 'not-posted'; readonly message: string };

/** Why a suggestion block in a reply has no effect. */
export type UserEditProblem =
  | UserEditRefusal
  /** It exceeded the limits of time or memory. */
  | { readonly reason: 'limit-exceeded' }
  | { readonly reason: 'several-blocks' }
  /** The proposal is a set of changes, of which a block could only mean one. */
  | { readonly reason: 'several-changes' }
  /** It has exactly the proposed lines, and text beside it that can mean the opposite of an approval. */
  | { readonly reason: 'same-lines-beside-text' }
  /** The same, but the lines have other white space. */
  | { readonly reason: 'respaced-lines-beside-text' }
  /** They would be committed before a page could warn of it. */
  | ({ readonly reason: 'misleading-text' } & MisleadingLine)
  /** Its closing fence is missing. */
  | { readonly reason: 'unclosed-block' }
  | { readonly reason: 'denied-path'; readonly rule: string }
  /** It would touch the lines of another open change. */
  | { readonly reason: 'overlaps'; readonly other: ProposalLink };

/** The model used all its responses or tokens, or its answer was cut by its length or by a filter. */
export type SideQuestionCaveat = 'responses-used-up' | 'tokens-used-up' | 'day-used-up' | 'cut-off' | 'filtered';
