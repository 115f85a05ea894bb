import type { QuotedId } from './quoted-ids.ts';

/** Whoever caused a webhook, as GitHub's payload names them. Identity is the numeric id, never the login. */
export type Actor = {
  readonly id: number;
  readonly login: string;
  /** GitHub's account type; only `User` may ever decide. */
  readonly type: 'User' | 'Bot' | 'Organization' | 'Mannequin';
  /** True where an App wrote in the person's name; such a comment decides nothing. */
  readonly viaApp: boolean;
};

/** Where something was said. `rootId` is the thread's first comment: ours, if the thread belongs to a proposal. */
export type Place =
  | { readonly at: 'conversation'; readonly commentId: number }
  | {
      readonly at: 'thread';
      readonly commentId: number;
      readonly rootId: number;
      readonly reviewId: number | null;
      readonly path: string;
      /** Line of the head's file, null where outdated or about the whole file. */
      readonly line: number | null;
      readonly diffHunk: string;
    }
  | { readonly at: 'review'; readonly reviewId: number };

/** What a review says by the choice it was sent with; GitHub's own words. */
export type ReviewState = 'commented' | 'approved' | 'changes_requested';

/** Which proposals a command names: by id (lower case), all, or by where it stands. */
export type Targets =
  | { readonly by: 'ids'; readonly ids: readonly string[] }
  | { readonly by: 'all' }
  | { readonly by: 'place' };

/** A command's word without its slash, right before a word formed like an id (lower case): a command, if such a proposal exists. */
export type Slashless = { readonly word: string; readonly id: string };

/** A line that fits a command's form. Texts are trimmed; `note` is what stands below the line. */
export type Command =
  | { readonly name: 'task'; readonly text: string; readonly slashless?: Slashless }
  | { readonly name: 'approve'; readonly targets: Targets; readonly note: string }
  /** `reason` is the rest of the line and what stands below; `line` the whole of both for a thread whose text begins with an id-like word. */
  | { readonly name: 'deny'; readonly targets: Targets; readonly reason: string; readonly line: string }
  | { readonly name: 'edit'; readonly targets: Targets; readonly instruction: string; readonly line: string }
  | { readonly name: 'ask'; readonly text: string }
  /** At most one id; without it the proposal that the words answer by where they stand. */
  | { readonly name: 'show'; readonly targets: Targets }
  /** At most one id, as `show`. */
  | { readonly name: 'undo'; readonly targets: Targets }
  | { readonly name: 'continue' }
  | { readonly name: 'stop' }
  | { readonly name: 'resume' }
  | { readonly name: 'status' }
  | { readonly name: 'help' };

export type CommandName = Command['name'];

/**
 * What one comment says, read from its Markdown alone; whom it concerns only the store knows. `addressed` is true
 * where the words stood behind `/countersign` or `@<app-slug>`, so that nobody else can be meant.
 */
export type Utterance =
  | { readonly kind: 'command'; readonly command: Command; readonly addressed: boolean }
  /** A line that nearly is a command: `word` is what did not fit, `command` null where this version lacks it. Decides nothing. */
  | {
      readonly kind: 'misfit';
      readonly command: CommandName | null;
      readonly word: string;
      readonly hint: string;
      readonly addressed: boolean;
    }
  /** A `/word` that is no command of ours. */
  | {
      readonly kind: 'unknown-command';
      readonly word: string;
      readonly nearest: CommandName | null;
      readonly addressed: boolean;
    }
  /** `@<app-slug> text`: a task, an instruction or a note for the agent, depending on where it stands. */
  | { readonly kind: 'mention'; readonly text: string; readonly slashless?: Slashless }
  /** Plain words: an instruction where they answer a proposal, else none of our business. */
  | {
      readonly kind: 'remark';
      /** Without quoted lines, trimmed; empty where nothing else was said. */
      readonly text: string;
      /** Begins with another person's @mention: talk between people. */
      readonly toSomebodyElse: boolean;
      /** Only yes, ok, lgtm, a thumbs-up or a bare digit: neither approval nor instruction. */
      readonly affirmation: boolean;
      /** Lines of each suggestion block, terminators removed. */
      readonly suggestions: readonly (readonly string[])[];
      /** A suggestion block was begun and not closed, or may be one or not: what belongs to it nobody can tell. */
      readonly unclosedSuggestion: boolean;
    };

/** The pull request that a webhook is about. Names may change, ids do not. */
export type PullRef = {
  readonly installationId: number;
  readonly repositoryId: number;
  readonly owner: string;
  readonly repo: string;
  readonly number: number;
};

type Common = {
  readonly pull: PullRef;
  readonly actor: Actor;
};

/** What a webhook means, from its bytes alone. Only an intent is stored, and only an intent makes us ask GitHub anything. */
export type Intent =
  | (Common & {
      readonly kind: 'said';
      readonly place: Place;
      readonly utterance: Utterance;
      /** Id lines of ours among the quoted lines; exactly one makes it a reply to that proposal (S59). */
      readonly quotedIds: readonly QuotedId[];
      /** GitHub's `created_at` (a review: `submitted_at`), ISO 8601 in whole seconds. */
      readonly createdAt: string;
      /** SHA-256 in hex of the body as sent. */
      readonly bodyHash: string;
      /** Null for words that are no review's own body. */
      readonly reviewState: ReviewState | null;
    })
  /** A comment was edited so that it now holds a command or an address to us: never a decision, answered once (S60). */
  | (Common & {
      readonly kind: 'edited';
      readonly place: Place;
      readonly utterance: Utterance;
      readonly createdAt: string;
    })
  /** Somebody else edited or deleted a comment that the App wrote (S60). */
  | (Common & { readonly kind: 'own-comment'; readonly deed: 'edited' | 'deleted'; readonly place: Place })
  /** Somebody deleted a person's comment that may have decided something (S61). */
  | (Common & { readonly kind: 'deleted'; readonly place: Place })
  | (Common & { readonly kind: 'pushed'; readonly before: string; readonly after: string })
  /** It goes to another base branch now. */
  | (Common & { readonly kind: 'retargeted'; readonly from: string; readonly to: string })
  | (Common & { readonly kind: 'closed'; readonly merged: boolean })
  /** Somebody dismissed a review of ours; GitHub does not tell why. */
  | (Common & { readonly kind: 'dismissed'; readonly reviewId: number })
  /** A review thread was marked as resolved, or opened again; `rootId` is its first comment. */
  | (Common & { readonly kind: 'thread'; readonly rootId: number; readonly resolved: boolean });

export type SaidIntent = Extract<Intent, { kind: 'said' }>;
