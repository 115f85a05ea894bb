/** `blocked` waits for somebody's approval on GitHub. */
export type CheckState = 'running' | 'passed' | 'failed' | 'blocked';

/** A check run of another App, or a commit status, as GitHub has it at one moment. */
export type Check = {
  /** Text of its App. */
  readonly name: string;
  readonly state: CheckState;
  /** GitHub's own word, such as `failure`. */
  readonly word: string;
  readonly url: string | null;
  /** The node id of a check run; null for anything else. */
  readonly nodeId: string | null;
  /** The id of a job of GitHub Actions, which has a log. */
  readonly jobId: string | null;
};

/** The checks of one commit. `running` has the keys of the suites and statuses that are not completed. */
export type Checks = { readonly listed: readonly Check[]; readonly running: readonly string[] };

/** The key of a suite or status, in GitHub's reports too. */
export const CHECK_KEYS = {
  suite: (nodeId: string) => `suite:${nodeId}`,
  status: (context: string) => `status:${context}`,
};

/** The checks of a pull request's head. `own` are its newest commits, the head among them. */
export type PullChecks = {
  readonly state: 'open' | 'closed' | 'merged';
  readonly headSha: string;
  readonly own: readonly string[];
  readonly head: Checks;
  readonly base: Checks;
};

/** What one check says for itself, as its App wrote it. `logEnd` is null where there is no log. */
export type CheckDetails = {
  readonly title: string | null;
  readonly summary: string | null;
  readonly annotations: readonly Annotation[];
  readonly logEnd: Uint8Array | null;
};

type Annotation = { readonly path: string; readonly line: number; readonly message: string };

/** What a run knows of its pull request's checks. */
export type CheckHistory = {
  /** The names of those that failed on the base, or on the head that the run found. */
  readonly failedBefore: readonly string[];
  /** The run's commit whose failed checks the model was told of last; null before. */
  readonly told: string | null;
  /** Times that the model was told, since a person's last words. */
  readonly rounds: number;
};

/** Times in a row that failed checks go to the model without a person's word. */
export const MAX_CHECK_ROUNDS = 3;

/** Time after a commit in which its checks begin (ms). */
export const CHECKS_BEGIN_MS = 60_000;

/** Time after a commit in which most of them begin (ms): a failure before then can hide those of slower ones. */
export const MOST_CHECKS_BEGIN_MS = 10_000;

/** The run waits for the checks of its newest commit, or of a head above it. No request to the model is made. */
export type AwaitingChecks = {
  readonly kind: 'awaiting-checks';
  /** The run's newest commit. */
  readonly commit: string;
  readonly head: string;
  /** The end of the wait (ISO 8601). */
  readonly until: string;
  /** Until then (ISO 8601) checks can begin at this head. */
  readonly beginUntil: string;
  /** The next look (ISO 8601). A look of another time is outdated. */
  readonly lookAt: string;
  /** Null before the first look at this head. */
  readonly seen: SeenChecks | null;
};

/** The last look. */
type SeenChecks = {
  /** Checks that people see as running. */
  readonly shown: number;
  /** The keys of those that ran and that GitHub has not reported as completed since. */
  readonly running: readonly string[];
};

/** A look, as far as it decides: the checks without their addresses. */
export type ChecksLook = {
  readonly headSha: string;
  /** Whether the run's commit is the head or below it. */
  readonly isOurs: boolean;
  readonly listed: readonly Pick<Check, 'name' | 'state' | 'word'>[];
  readonly running: readonly string[];
};

/** What a look comes to. */
type ChecksVerdict =
  | { readonly kind: 'none' | 'running' | 'passed' }
  /** `names` failed now and not before. */
  | { readonly kind: 'failed'; readonly names: readonly string[] };

type Judged = Pick<ChecksLook, 'listed' | 'running'>;

/** A check that failed before the run began is no failure of its commit. */
export function judgeChecks({ listed, running }: Judged, { failedBefore }: CheckHistory): ChecksVerdict {
  if (listed.length === 0) return { kind: 'none' };
  if (running.length > 0) return { kind: 'running' };
  const names = namesOf(listed, 'failed').filter((name) => !failedBefore.includes(name));
  return names.length > 0 ? { kind: 'failed', names } : { kind: 'passed' };
}

/** The names of the checks in this state, each once. */
export function namesOf(listed: readonly Pick<Check, 'name' | 'state'>[], state: CheckState): readonly string[] {
  return [...new Set(listed.filter((one) => one.state === state).map(({ name }) => name))];
}

/** GitHub's report that a suite or status is completed. `head` is null if its log does not say of which commit. */
export type CompletedChecks = {
  readonly head: string | null;
  readonly key: string;
  /** False also where GitHub's log does not say it. */
  readonly failed: boolean;
};

export type CheckEvent = CompletedChecks & { readonly repositoryId: number };
