/** What a repository decides about the App: the keys of `.github/countersign.yml`, in our spelling. */
export type Settings = {
  /** `prefixed`: only `/countersign …` and `@<app-slug> …` are read. */
  readonly commands: 'short' | 'prefixed';
  readonly approvers: 'write' | 'maintain' | 'admin' | 'codeowners';
  readonly requireNonAuthor: boolean;
  readonly requireNonRequester: boolean;
  /** How many people must approve each change. */
  readonly requiredApprovals: number;
  /** How long a change waits for a decision before it expires. */
  readonly expiryHours: number;
  readonly reviewEvent: 'comment' | 'request-changes';
  /** What a plain *Approve* review does to what was pending when it was sent. */
  readonly reviewApproval: 'nothing' | 'approve-all';
};

export const DEFAULT_SETTINGS: Settings = {
  commands: 'short',
  approvers: 'write',
  requireNonAuthor: false,
  requireNonRequester: false,
  requiredApprovals: 1,
  expiryHours: 7 * 24,
  reviewEvent: 'comment',
  reviewApproval: 'nothing',
};

/** The default branch's file as it is now; where it is broken, its problems, a line each. */
export type SettingsReading =
  | { readonly kind: 'settings'; readonly settings: Settings }
  | { readonly kind: 'broken'; readonly problems: readonly string[] };
