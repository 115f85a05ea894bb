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
  /** The commit's text above its trailers, with `{summary}`, `{paths}` and `{ids}`. */
  readonly commitMessage: string;
  /** Whether the approvers are named in `Signed-off-by`. */
  readonly signOff: boolean;
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
  commitMessage: '{summary}',
  signOff: false,
  contextFiles: ['AGENTS.md'],
  keysWithoutEffect: [],
};

/** What the file on the default branch says, within the operator's bounds. */
export type SettingsReading =
  | { readonly kind: 'settings'; readonly settings: Settings }
  | {
      readonly kind: 'broken';
      /** One line each. */
      readonly problems: readonly string[];
      /** The operator's settings, which hold until the file is repaired. No approval counts until then. */
      readonly settings: Settings;
    };

/** What a value in force comes from: the built-in default, a file, or the operator's bound. */
export type SettingSource = 'default' | 'operator' | 'repository' | 'ceiling';

/** One setting in force. */
export type SettingInForce = {
  /** As in the file; a key of a group as `limits.turns`. */
  readonly key: string;
  /** As it is written in the file, in one line. */
  readonly value: string;
  readonly source: SettingSource;
};

/** All settings in force, in the order of the documentation. `problems` is empty unless the file is broken. */
export type SettingsInForce = {
  readonly settings: readonly SettingInForce[];
  readonly problems: readonly string[];
  /** Keys of the repository's file without effect in this version. */
  readonly keysWithoutEffect: readonly string[];
};
