/** A repository's settings from `.github/countersign.yml`. */
export type Settings = {
  /** `prefixed`: only `/countersign …` and `@<app-slug> …` are read. */
  readonly commands: 'short' | 'prefixed';
  readonly approvers: 'write' | 'maintain' | 'admin' | 'codeowners';
  readonly requireNonAuthor: boolean;
  readonly requireNonRequester: boolean;
  /** How many people must approve each change. */
  readonly requiredApprovals: number;
  /** Hours after which a pending change expires. */
  readonly expiryHours: number;
  readonly reviewEvent: 'comment' | 'request-changes';
  /** `conversation`: replies in threads and reviews decide nothing. */
  readonly decideIn: 'anywhere' | 'conversation';
  /** The effect of a plain *Approve* review on the changes that were pending when it was sent. */
  readonly reviewApproval: 'nothing' | 'approve-all';
  /** Paths of instructions for the agent. `AGENTS.md` also stands for those above changed files. */
  readonly contextFiles: readonly string[];
  /** Keys that the file sets and that have no effect in this version, in the order of the file. */
  readonly keysWithoutEffect: readonly string[];
};

export const DEFAULT_SETTINGS: Settings = {
  commands: 'short',
  approvers: 'write',
  requireNonAuthor: false,
  requireNonRequester: false,
  requiredApprovals: 1,
  expiryHours: 7 * 24,
  reviewEvent: 'comment',
  decideIn: 'anywhere',
  reviewApproval: 'nothing',
  contextFiles: ['AGENTS.md'],
  keysWithoutEffect: [],
};

/** The file on the default branch; if it is broken, its problems, one line each. */
export type SettingsReading =
  | { readonly kind: 'settings'; readonly settings: Settings }
  | { readonly kind: 'broken'; readonly problems: readonly string[] };
