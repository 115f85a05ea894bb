/** The meaning of a failed request for its sender. GitHub says it by status, type and words. */
export type ErrorMeaning =
  /** Wait, then try again. Only here it can be unknown whether GitHub applied the request. */
  | 'try-again'
  | 'branch-moved'
  | 'refused-by-rule'
  | 'not-allowed'
  /** GitHub did not find it twice, some seconds apart. The first answer to a GraphQL mutation counts. */
  | 'gone'
  | 'our-mistake';

/** What the client itself does about an error. */
export type Remedy =
  | 'pause-installation'
  | 'delete-pending-review'
  | 'lesser-token'
  | 'smaller-pages'
  /** The server does not know a field yet. */
  | 'older-fields';

/** All that tells what a failed request means. Times are in ms; what is absent is unknown or does not matter. */
export type FailedRequest = {
  /** Null without a complete response. */
  readonly status: number | null;
  /** The types and codes of GraphQL errors, which have status 200. */
  readonly types?: readonly string[];
  /** GitHub's own words. */
  readonly detail: string;
  /** It writes commits or their parts. */
  readonly isCommit?: boolean;
  readonly tokenAgeMs?: number;
  /** For how long GitHub has not found the thing. */
  readonly missingMs?: number;
  /** The age of the thing asked for. */
  readonly thingAgeMs?: number;
};

/** The errors for which all of these conditions hold. */
export type ErrorRow = {
  readonly statuses?: readonly number[];
  readonly types?: readonly string[];
  readonly words?: RegExp;
  readonly when?: (failed: FailedRequest) => boolean;
  readonly meaning: ErrorMeaning;
  readonly remedy?: Remedy;
  /** The wait before the next attempt (ms), where GitHub names no time. */
  readonly waitMs?: number;
  /** Our explanation in front of GitHub's own words, where a commit is refused. */
  readonly sentence?: string;
};

/** GitHub's recommendation for a secondary rate limit without `retry-after`. */
const RATE_LIMIT = { meaning: 'try-again', remedy: 'pause-installation', waitMs: 60_000 } as const;

/** People revert an archiving or a lock, so the requests are tried again, but rarely. */
const READ_ONLY = { meaning: 'try-again', waitMs: 10 * 60_000 } as const;

const TOO_HEAVY = { meaning: 'try-again', remedy: 'smaller-pages' } as const;

/** Until all of GitHub's servers know a new token. */
const YOUNG_TOKEN = { meaning: 'try-again', waitMs: 3_000 } as const;

/** The time (ms) between two answers that prove that something does not exist. */
const PROOF_MS = 5_000;

const BY_RULE = { meaning: 'refused-by-rule', sentence: 'The rules of this branch refuse the commit' } as const;

const LONG = Number.POSITIVE_INFINITY;

/** GitHub refuses a new token for some seconds. A newer one would be refused too. */
function hasYoungToken({ tokenAgeMs = LONG }: FailedRequest): boolean {
  return tokenAgeMs < 15_000;
}

/** One server that does not find something proves nothing, and least of all about something new. */
function mightExist({ missingMs = LONG, thingAgeMs = LONG }: FailedRequest): boolean {
  return missingMs < PROOF_MS || (missingMs < 60_000 && thingAgeMs < 60_000);
}

function isCommit(failed: FailedRequest): boolean {
  return failed.isCommit === true;
}

function isServerError({ status }: FailedRequest): boolean {
  return status === null || status >= 500;
}

/** The first row that fits counts. A rule can name a workflow, such as a required check. */
const ERROR_TABLE: readonly ErrorRow[] = [
  { statuses: [502, 504], ...TOO_HEAVY },
  { types: ['RESOURCE_LIMITS_EXCEEDED', 'MAX_NODE_LIMIT_EXCEEDED'], ...TOO_HEAVY },
  { statuses: [200], words: /while executing your query|respond to your request in time/i, ...TOO_HEAVY },
  { types: ['undefinedField'], meaning: 'try-again', remedy: 'older-fields' },
  { when: isServerError, meaning: 'try-again' },
  { types: ['RATE_LIMITED', 'RATE_LIMIT'], ...RATE_LIMIT },
  { statuses: [429], ...RATE_LIMIT },
  { statuses: [403, 422], words: /rate limit|abuse detection|submitted too quickly/i, ...RATE_LIMIT },
  { statuses: [403], words: /has been suspended/i, meaning: 'try-again', waitMs: 60_000 },
  { statuses: [403], words: /was archived so is read-only|issue is locked/i, ...READ_ONLY },
  { statuses: [403, 422], words: /lock prevents review/i, ...READ_ONLY },
  {
    statuses: [422],
    words: /permissions requested are not granted/i,
    meaning: 'not-allowed',
    remedy: 'lesser-token',
  },
  { statuses: [422], words: /pending review/i, meaning: 'our-mistake', remedy: 'delete-pending-review' },
  { types: ['STALE_DATA'], meaning: 'branch-moved' },
  { types: ['FORBIDDEN'], words: /is at \S+ but expected/i, meaning: 'branch-moved' },
  { types: ['NOT_FOUND'], words: /expectedHeadOid/i, meaning: 'branch-moved' },
  { types: ['BRANCH_PROTECTION_RULE_VIOLATION'], ...BY_RULE },
  { words: /GH006|GH013|rule violation|protected branch|protected ref|required status|signed commits/i, ...BY_RULE },
  {
    words: /workflow/i,
    when: isCommit,
    meaning: 'not-allowed',
    sentence: 'GitHub requires the `workflows` permission for changes to workflow files',
  },
  {
    words: /archived|read-only|\blocked\b/i,
    when: isCommit,
    meaning: 'not-allowed',
    sentence: 'GitHub refuses because the repository is read-only',
  },
  // What a plan or a permission lacks is no news, however new the token is.
  { statuses: [403], words: /^upgrade to |permission to create labels/i, meaning: 'not-allowed' },
  { statuses: [401, 403, 404], when: hasYoungToken, ...YOUNG_TOKEN },
  { types: ['FORBIDDEN', 'NOT_FOUND'], when: hasYoungToken, ...YOUNG_TOKEN },
  { statuses: [404], when: mightExist, meaning: 'try-again', waitMs: PROOF_MS },
  { types: ['NOT_FOUND'], when: mightExist, meaning: 'try-again', waitMs: PROOF_MS },
  { statuses: [409], when: isCommit, meaning: 'branch-moved' },
  {
    words: /not accessible by integration|permission|forbidden|denied/i,
    when: isCommit,
    meaning: 'not-allowed',
    sentence: 'GitHub refuses because the App lacks the permission to commit here',
  },
  {
    words: /does not exist|could not resolve|not found|no such/i,
    when: isCommit,
    meaning: 'gone',
    sentence: 'GitHub does not find the branch, or the App cannot write to it',
  },
  { statuses: [404, 410], meaning: 'gone' },
  { types: ['NOT_FOUND'], meaning: 'gone' },
  { statuses: [403, 451], meaning: 'not-allowed' },
  { types: ['FORBIDDEN', 'INSUFFICIENT_SCOPES'], meaning: 'not-allowed' },
  { types: ['UNPROCESSABLE'], meaning: 'our-mistake' },
  { statuses: [400, 405, 406, 411, 413, 414, 415, 422], meaning: 'our-mistake' },
  { meaning: 'try-again' },
];

/** The row of a failed request. The last row fits all. */
export function errorRowOf(failed: FailedRequest): ErrorRow {
  const { status, types = [], detail } = failed;
  const row = ERROR_TABLE.find(
    (one) =>
      (one.statuses === undefined || (status !== null && one.statuses.includes(status))) &&
      (one.types === undefined || types.some((type) => one.types?.includes(type))) &&
      (one.words === undefined || one.words.test(detail)) &&
      (one.when === undefined || one.when(failed)),
  );
  return row ?? { meaning: 'try-again' };
}
