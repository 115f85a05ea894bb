import type { DiffSide } from './task-context.ts';

/**
 * The meaning of a webhook, derived from its payload alone. Only intents are stored, and only they lead to requests to
 * GitHub.
 */
export type Intent =
  | (IntentBase & {
      readonly kind: 'comment';
      readonly location: CommentLocation;
      readonly parsed: ParsedComment;
      /** The ids of the App's comments that it quotes. Exactly one makes it a reply to that proposal or question. */
      readonly quotedIds: readonly string[];
      /** The beginning of what it quotes, without quote marks; null if nothing is quoted. */
      readonly quote: string | null;
      /** GitHub's `created_at` (of a review: `submitted_at`), ISO 8601 in whole seconds. */
      readonly createdAt: string;
      /** SHA-256 in hex of the body as sent. */
      readonly bodyHash: string;
      /** Null unless the comment is a review's own body. */
      readonly reviewState: ReviewState | null;
      /** The pull request was closed when it was written; absent if it was open. */
      readonly isPullClosed?: true;
    })
  /** An edited comment that now holds a command or mentions the App. It never decides and gets one reply (S60). */
  | (IntentBase & {
      readonly kind: 'edited';
      readonly location: CommentLocation;
      readonly parsed: ParsedComment;
      readonly createdAt: string;
    })
  | (IntentBase & { readonly kind: 'pushed'; readonly before: string; readonly after: string })
  /** The pull request got another base branch. */
  | (IntentBase & { readonly kind: 'retargeted'; readonly from: string; readonly to: string })
  | (IntentBase & { readonly kind: 'closed'; readonly merged: boolean })
  /** A review of the App was dismissed. GitHub reports no reason. */
  | (IntentBase & { readonly kind: 'dismissed'; readonly reviewId: number })
  /** A button of one of the App's check runs was pressed. All but the actor is a claim, to compare with what is stored. */
  | (IntentBase & { readonly kind: 'pressed' } & PressedButton)
  /** The pull request was opened, or opened again. */
  | (IntentBase & { readonly kind: 'opened' })
  /** A merge queue asks for the checks of this commit, which has the pull request merged. */
  | (IntentBase & { readonly kind: 'merge-queued'; readonly headSha: string });

export type PressedButton = {
  readonly checkRunId: number;
  readonly headSha: string;
  readonly externalId: string;
  readonly identifier: string;
};

export type IntentOf<Kind extends Intent['kind']> = Extract<Intent, { kind: Kind }>;

export type CommentIntent = IntentOf<'comment'>;

type IntentBase = {
  readonly pull: PullRequestRef;
  readonly actor: Actor;
};

/** A pull request. Names can change, ids cannot. */
export type PullRequestRef = {
  readonly installationId: number;
  readonly repositoryId: number;
  readonly owner: string;
  readonly repo: string;
  readonly number: number;
};

/** The sender of a webhook. The numeric id identifies the account, never the login. */
export type Actor = { readonly id: number; readonly login: string };

/**
 * The place of a comment. `rootId` is the first comment of its thread; a proposal's thread begins with the App's
 * comment.
 */
export type CommentLocation =
  | { readonly at: 'conversation'; readonly commentId: number }
  | {
      readonly at: 'thread';
      readonly commentId: number;
      readonly rootId: number;
      readonly reviewId: number | null;
      readonly path: string;
      /** Line in the head's file; null for an outdated comment or one about the whole file. */
      readonly line: number | null;
      /** First of several lines. */
      readonly startLine: number | null;
      readonly side: DiffSide | null;
      readonly diffHunk: string;
    }
  | { readonly at: 'review'; readonly reviewId: number }
  /** A button of a check run; `commentId` is that of the check run. What the App answers goes to the conversation. */
  | { readonly at: 'check'; readonly commentId: number };

/** Names the comment within its pull request, by its place and GitHub's id. */
export function locationId(location: CommentLocation): string {
  return location.at === 'review' ? `r${location.reviewId}` : `${location.at.charAt(0)}${location.commentId}`;
}

/** The choice with which a review was submitted, in GitHub's own words. */
export type ReviewState = 'commented' | 'approved' | 'changes_requested';

/**
 * The content of a comment, parsed from its Markdown alone. `addressedToApp` is true behind `/countersign` or
 * `@<app-slug>`, so that no other bot can be meant.
 */
export type ParsedComment = { readonly addressedToApp: boolean } & (
  | { readonly kind: 'command'; readonly command: Command }
  /** A `/word` that fits no command's form, and decides nothing. `command` is the nearest one; null if none is near. */
  | { readonly kind: 'malformed-command'; readonly command: CommandName | null }
  /** Any other text. What it means depends on its location and on whether it is addressed to the App. */
  | {
      readonly kind: 'text';
      /** Trimmed, without the App's name, quoted lines and the suggestion block; might be empty. */
      readonly text: string;
      /** Begins with another person's @mention. */
      readonly addressedToSomeoneElse: boolean;
      /** Consents without deciding: neither an approval nor an instruction. */
      readonly affirmation: boolean;
      /** The lines of the suggestion block, without terminators; `unclear` if it is uncertain which lines are meant. */
      readonly suggestion: readonly string[] | 'unclear' | null;
      /** The comment is one suggestion block with nothing but white space around it. */
      readonly isSuggestionAlone: boolean;
    }
);

export type TextComment = Extract<ParsedComment, { kind: 'text' }>;

/** A line that is a command. Texts are trimmed; `note` is the text below the line. */
export type Command =
  | { readonly name: 'task'; readonly text: string }
  /** With `always` it names at most one proposal. */
  | { readonly name: 'approve'; readonly targets: Targets; readonly note: string; readonly always?: AlwaysRequest }
  /**
   * `reason` and `instruction` include the text below the line. `fullText` also includes the targets, for a thread
   * whose text begins with a word in the form of an id.
   */
  | { readonly name: 'deny'; readonly targets: Targets; readonly reason: string; readonly fullText: string }
  | { readonly name: 'edit'; readonly targets: Targets; readonly instruction: string; readonly fullText: string }
  /** `text` is the answer without a leading id; `fullText` has it, for a thread whose text begins with such a word. */
  | { readonly name: 'answer'; readonly targets: Targets; readonly text: string; readonly fullText: string }
  | { readonly name: 'ask'; readonly text: string }
  /** At most one id. Without one, the comment's location identifies the proposal. */
  | { readonly name: 'show'; readonly targets: Targets }
  /** At most one id, as in `show`. */
  | { readonly name: 'undo'; readonly targets: Targets }
  /** `text` is for the agent, and empty for none. */
  | { readonly name: 'continue'; readonly text: string }
  | { readonly name: 'stop' }
  /** As in `continue`. */
  | { readonly name: 'resume'; readonly text: string }
  | { readonly name: 'status' }
  | { readonly name: 'approvals' }
  /** `number` is that of a standing approval. */
  | { readonly name: 'revoke'; readonly number: number }
  | { readonly name: 'config' }
  | { readonly name: 'help' };

export type CommandName = Command['name'];

/** The word `always` behind `/approve`; the glob as written, null for the path of the change. */
export type AlwaysRequest = { readonly glob: string | null };

/** The proposals that a command names: by id (lower case), all, those on some paths or of a list, or by its location. */
export type Targets =
  | { readonly by: 'ids'; readonly ids: readonly string[] }
  | { readonly by: 'all' }
  | { readonly by: 'paths'; readonly glob: string }
  /** The list of a check run, by its button. */
  | { readonly by: 'list'; readonly digest: string; readonly ids: readonly string[] }
  | { readonly by: 'location' };

/** A webhook about an installation or some of its repositories, which concerns many pull requests at once. */
export type InstallationEvent = {
  readonly installationId: number;
  /** Null for the whole installation. */
  readonly repositoryIds: readonly number[] | null;
} & (
  | { readonly kind: 'access-lost'; readonly cause: AccessLossCause }
  /** GitHub sends webhooks again. Those of the suspension are lost. */
  | { readonly kind: 'unsuspended' }
);

/** Why the App lost access; `unreachable` if GitHub has refused all requests for days without a webhook. */
export type AccessLossCause = 'uninstalled' | 'repository-removed' | 'permissions' | 'unreachable';
