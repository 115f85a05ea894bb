import type { ToolName } from './tools.ts';

/** A repository's settings from `.github/countersign.yml`. */
export type Settings = {
  /** `prefixed`: only `/countersign …` and `@<app-slug> …` are read. */
  readonly commands: 'short' | 'prefixed';
  readonly approvers: Approvers;
  readonly requireNonAuthor: boolean;
  readonly requireNonRequester: boolean;
  /** How many people must approve each change. */
  readonly requiredApprovals: number;
  /** The repository's own rules: the first one that matches a tool and a path decides. */
  readonly rules: readonly PathRule[];
  /** The operator's rules, which hold beside them: the stricter decision counts. */
  readonly operatorRules: readonly PathRule[];
  /** Stronger approval for some paths. For a path the strictest that matches, never below the repository's own rule. */
  readonly require: readonly ApprovalRequirement[];
  /** Globs of the operator and the repository, beside the built-in list of protected files. */
  readonly protectedPaths: readonly string[];
  /** How far a standing approval can reach. */
  readonly standingApprovals: 'off' | 'path' | 'glob';
  /** Hours after which a pending change expires. */
  readonly expiryHours: number;
  /** Minutes for which a run waits for the checks of its commits; null if it does not wait. */
  readonly checkWaitMinutes: number | null;
  readonly reviewEvent: 'comment' | 'request-changes';
  readonly checkRun: CheckRunMode;
  /** Whether the label `WAITING_LABEL` marks a pull request while something waits for people. */
  readonly label: boolean;
  /** The effect of a plain *Approve* review on the changes that were pending when it was sent. */
  readonly reviewApproval: 'nothing' | 'approve-all';
  /** The commit's text above its trailers, with `{summary}`, `{paths}` and `{ids}`. */
  readonly commitMessage: string;
  /** Whether the approvers are named in `Signed-off-by`. */
  readonly signOff: boolean;
  /** One of the operator's models; null only where the operator's default is not known. */
  readonly model: string | null;
  readonly limits: RunLimits;
  /** Paths of instructions for the agent. `AGENTS.md` also stands for those above changed files. */
  readonly contextFiles: readonly string[];
};

/**
 * The check run of the pending changes: shown where some are pending, also demanded by a branch's rules, so that every
 * head has one, or none.
 */
export type CheckRunMode = 'show' | 'required' | 'off';

/** The least role of a person who can approve, from the lowest. */
const APPROVER_ROLES = ['write', 'maintain', 'admin'] as const;

export type ApproverRole = (typeof APPROVER_ROLES)[number];

/** The demands of `approvers` on the people who approve. */
type ApproverDemands = {
  readonly role: ApproverRole;
  /** Each path needs the approval of one of its code owners. */
  readonly codeOwners: boolean;
};

/** A file names one of the first four; an operator's bound and a repository's rule can demand two things together. */
export const APPROVER_DEMANDS = {
  write: { role: 'write', codeOwners: false },
  maintain: { role: 'maintain', codeOwners: false },
  admin: { role: 'admin', codeOwners: false },
  codeowners: { role: 'write', codeOwners: true },
  'maintain and codeowners': { role: 'maintain', codeOwners: true },
  'admin and codeowners': { role: 'admin', codeOwners: true },
} as const satisfies Readonly<Record<string, ApproverDemands>>;

/** Who can approve. */
export type Approvers = keyof typeof APPROVER_DEMANDS;

/** The rule that demands what both demand. */
export function combineApprovers(one: Approvers, other: Approvers): Approvers {
  const role = stricterRole(APPROVER_DEMANDS[one].role, APPROVER_DEMANDS[other].role);
  if (!APPROVER_DEMANDS[one].codeOwners && !APPROVER_DEMANDS[other].codeOwners) return role;
  return role === 'write' ? 'codeowners' : `${role} and codeowners`;
}

export function stricterRole(one: ApproverRole, other: ApproverRole): ApproverRole {
  return APPROVER_ROLES.indexOf(one) > APPROVER_ROLES.indexOf(other) ? one : other;
}

/** A decision about some tools on some paths. A change always needs a person, so `ask` and `allow` are for reading. */
export type PathRule = {
  readonly tools: readonly ToolName[];
  readonly paths: readonly string[];
  readonly decide: 'deny' | 'ask' | 'allow';
};

/** All rules about paths that hold in a repository. */
export type PathRules = Pick<Settings, 'rules' | 'operatorRules'>;

/** The approvals that changes of these paths need; null for the repository's own rule. */
export type ApprovalRequirement = {
  readonly paths: readonly string[];
  readonly approvals: number | null;
  readonly approvers: Approvers | null;
};

/** Bounds of each run, and of the runs in a repository; null for no limit. `minutes` counts the agent at work. */
export type RunLimits = {
  /** Responses without a proposal since a person's last words. */
  readonly turns: number;
  readonly tokens: number;
  readonly costUsd: number | null;
  readonly minutes: number | null;
  readonly proposalsPerTurn: number;
  readonly runsPerDay: number;
  readonly runsPerPersonPerDay: number | null;
};

export const DEFAULT_SETTINGS: Settings = {
  commands: 'short',
  approvers: 'write',
  requireNonAuthor: false,
  requireNonRequester: false,
  requiredApprovals: 1,
  rules: [],
  operatorRules: [],
  require: [],
  protectedPaths: [],
  standingApprovals: 'glob',
  expiryHours: 7 * 24,
  checkWaitMinutes: 30,
  reviewEvent: 'comment',
  checkRun: 'show',
  label: true,
  reviewApproval: 'nothing',
  commitMessage: '{summary}',
  signOff: false,
  model: null,
  limits: {
    turns: 60,
    tokens: 1_000_000,
    costUsd: null,
    minutes: null,
    proposalsPerTurn: 20,
    runsPerDay: 50,
    runsPerPersonPerDay: null,
  },
  contextFiles: ['AGENTS.md'],
};

/** The settings of the file on the default branch, within the operator's bounds. */
export type SettingsReading =
  | { readonly kind: 'settings'; readonly settings: Settings }
  | {
      readonly kind: 'broken';
      /** One line each. */
      readonly problems: readonly string[];
      /** The operator's settings, which hold until the file is repaired. No approval counts until then. */
      readonly settings: Settings;
    };

/** The owners of a decision's paths by `CODEOWNERS` on the default branch, as read for the decision. */
export type CodeOwners = {
  /** By path; a path that is not here has no owner. As in the file: `@login`, `@org/team` or an e-mail address. */
  readonly owners: Readonly<Record<string, readonly string[]>>;
  /** By team in lower case: the ids of its members among the people of the decision; null if the App cannot read it. */
  readonly teams: Readonly<Record<string, readonly number[] | null>>;
};

/** All settings in force, as a settings file says them. `problems` is empty unless the file is broken. */
export type SettingsInForce = { readonly text: string; readonly problems: readonly string[] };
