import type { CommandName } from '../state/intent.ts';
import type { ReachedRunLimit } from '../state/limits.ts';
import type { EndReason, Phase } from '../state/run.ts';
import type { SettingsInForce } from '../state/settings.ts';
import type { SideQuestionCaveat } from '../state/side-question.ts';
import type { Person } from '../state/vote.ts';
import type { VoteProblem } from '../state/vote-source.ts';
import type { RequiredPermission } from './app-rights.ts';
import type {
  ApprovalBlock,
  ResumeRefusal,
  StandingEnd,
  StandingObstacle,
  UndoRefusal,
  UserEditProblem,
} from './refusals.ts';
import type { ProposalLink, ProposalOutcome, QuestionLink, StandingApprovalLine } from './reply-links.ts';

/** Every reply of the App. `core/messages/replies.ts` renders them. */
export type Reply =
  | { readonly kind: 'owner-not-allowed'; readonly owner: string }
  | {
      readonly kind: 'not-allowed';
      readonly login: string;
      /** Null for a command that the App does not know. */
      readonly command: CommandName | null;
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
  | { readonly kind: 'unknown-ids'; readonly ids: readonly string[]; readonly pending: readonly ProposalLink[] }
  /** The command needs the id of a change. `changes` are those that it can mean, newest first. */
  | { readonly kind: 'id-missing'; readonly command: 'show' | 'undo'; readonly changes: readonly ProposalLink[] }
  | { readonly kind: 'already-decided'; readonly proposals: readonly ProposalOutcome[] }
  /** An instruction to changes that are decided. Without its command it would go to the agent. */
  | { readonly kind: 'edit-too-late'; readonly proposals: readonly ProposalOutcome[] }
  /** `form` is that of the nearest command; null if none is near. */
  | { readonly kind: 'malformed-command'; readonly form: string | null }
  | { readonly kind: 'affirmation'; readonly id: string }
  /** A suggestion block that cannot be used as a person's own text. */
  | { readonly kind: 'user-edit-refused'; readonly id: string; readonly problem: UserEditProblem }
  | { readonly kind: 'edited-into-command' }
  /** The pages of these were edited or deleted. They are written again and nothing was approved. */
  | { readonly kind: 'page-changed'; readonly proposals: readonly ProposalLink[] }
  /** These proposals and questions expire soon, the first one at GitHub's time `expiresAt`. */
  | {
      readonly kind: 'reminder';
      readonly requesters: readonly Person[];
      readonly proposals: readonly ProposalLink[];
      readonly questions: readonly QuestionLink[];
      readonly expiresAt: string;
    }
  /** A rule refused an earlier commit of this run. */
  | { readonly kind: 'push-refused'; readonly headRef: string }
  | { readonly kind: 'fork'; readonly headRef: string }
  | { readonly kind: 'task-queued'; readonly position: number }
  | { readonly kind: 'task-queue-full'; readonly max: number; readonly whose: 'own' | 'all' }
  /** `/stop` between two runs dropped these queued tasks. */
  | { readonly kind: 'queue-dropped'; readonly droppedTasks: readonly string[] }
  | { readonly kind: 'no-run'; readonly command: CommandName }
  | { readonly kind: 'committed'; readonly sha: string; readonly proposals: readonly ProposalLink[] }
  /** A person's own lines that no longer fit the file. */
  | { readonly kind: 'user-edit-stale'; readonly by: Person; readonly proposals: readonly ProposalLink[] }
  /** `undoneProposalIds` are the changes that the undos among the proposals would have reversed. */
  | {
      readonly kind: 'stale';
      readonly proposals: readonly ProposalLink[];
      readonly undoneProposalIds: readonly string[];
    }
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
  /** The block was found right before the commit, so these proposals are pending again. */
  | { readonly kind: 'approval-lapsed'; readonly block: ApprovalBlock; readonly proposals: readonly ProposalLink[] }
  /**
   * GitHub no longer shows this person's approval as it was counted, so it is no vote. These proposals are pending
   * again (`isPending`), or other approvals are enough for them.
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
  | {
      readonly kind: 'approvals-suspended';
      readonly errorId: string | null;
      readonly proposals: readonly ProposalLink[];
    }
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
  | { readonly kind: 'side-question-failed'; readonly by: Person; readonly question: string; readonly message: string }
  /** A comment that could be meant as an answer to a question of the agent, and was not taken as one. */
  | { readonly kind: 'question-hint'; readonly question: QuestionLink }
  | { readonly kind: 'question-closed'; readonly question: QuestionLink; readonly by: Person | null }
  /** No question can be meant; `id` is the one that the comment names. */
  | { readonly kind: 'no-question'; readonly id: string | null }
  | { readonly kind: 'side-question-queue-full'; readonly max: number }
  /**
   * A comment or event could not be processed because of an internal error; `stored-schema` if another version stored
   * the run.
   */
  | { readonly kind: 'internal-error'; readonly errorId: string; readonly about: 'comment' | 'event' | 'stored-schema' }
  /** `/approve always` approved a change, and later ones too. */
  | { readonly kind: 'standing-granted'; readonly approval: StandingApprovalLine }
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
      /** The activity of the active run; null if none is active. */
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
      /** Not made because a person asked for something else, and never proposed again. */
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

/** The phase of an active run, and how far the decisions on its last response are. */
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
