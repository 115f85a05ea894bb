/**
 * An error that the real GitHub answers although nothing in its state explains it. With a `type`, GraphQL answers it
 * with status 200. `<expected>` in a message stands for the head that the request expects.
 */
type KnownError = { readonly status: number; readonly type?: string; readonly message: string };

const NOT_REPLICATED = 'Resource not accessible by integration';

const RULES = 'Repository rule violations found\n\nChanges must be made through a pull request.\n\n';

const ANOTHER_HEAD = '7d1b31e74ee336d15cbd21741bc88a537ed063a0';

/** GitHub's errors by name, with the words that public clients recorded and reported. */
export const KNOWN_ERRORS = {
  /** A token that not all servers know yet. */
  'unknown-token': { status: 401, message: 'Bad credentials' },
  /** A token whose permissions not all servers know yet. */
  'unknown-scope': { status: 403, type: 'FORBIDDEN', message: NOT_REPLICATED },
  /** A replica that has not seen the thing yet. */
  'not-yet-there': { status: 404, type: 'NOT_FOUND', message: 'Not Found' },
  /** The three answers to a lost race of `createCommitOnBranch`. */
  'stale-data': {
    status: 409,
    type: 'STALE_DATA',
    message: 'Expected branch to point to "<expected>" but it did not.  Pull and try again.',
  },
  'another-head': {
    status: 409,
    type: 'FORBIDDEN',
    message: `refs/heads/topic is at ${ANOTHER_HEAD} but expected <expected>`,
  },
  'unknown-head': {
    status: 404,
    type: 'NOT_FOUND',
    message: "No commit exists with specified expectedHeadOid '<expected>'.",
  },
  /** Classic branch protection, whose texts vary. */
  'branch-protection': {
    status: 409,
    type: 'BRANCH_PROTECTION_RULE_VIOLATION',
    message: 'Changes must be made through a pull request.',
  },
  ruleset: { status: 409, type: 'FORBIDDEN', message: RULES },
  /** A query that asks for too much. Smaller ones succeed. */
  'resource-limits': {
    status: 502,
    type: 'RESOURCE_LIMITS_EXCEEDED',
    message: 'Resource limits for this query exceeded.',
  },
  'bad-gateway': { status: 502, message: 'Server Error' },
  'gateway-timeout': {
    status: 504,
    message: "We couldn't respond to your request in time. Sorry about that. Please try resubmitting your request.",
  },
  suspended: { status: 403, message: 'This installation has been suspended' },
} as const satisfies Readonly<Record<string, KnownError>>;

export type KnownErrorName = keyof typeof KNOWN_ERRORS;

/** The lost races of `createCommitOnBranch`, and the refusals by a rule. */
export const LOST_RACES = ['stale-data', 'another-head', 'unknown-head'] as const satisfies readonly KnownErrorName[];

export const RULE_REFUSALS = ['branch-protection', 'ruleset'] as const satisfies readonly KnownErrorName[];

/** `graphqlField` is a query's name or a mutation's first field, null for REST. `expectedHead` is the head that it names. */
type FailedRequest = { readonly graphqlField: string | null; readonly expectedHead: string };

/** The answer to a request that fails with this error. */
export function answerWithError(
  name: KnownErrorName,
  { graphqlField, expectedHead }: FailedRequest,
): { readonly status: number; readonly body: object } {
  const { status, type, message: template }: KnownError = KNOWN_ERRORS[name];
  const message = template.replaceAll('<expected>', expectedHead);
  if (graphqlField === null || type === undefined)
    return { status, body: { message, documentation_url: 'https://docs.github.com/rest', status: String(status) } };
  const extensions = type === 'FORBIDDEN' ? { extensions: { saml_failure: false } } : {};
  const errors = [{ type, path: [graphqlField], ...extensions, locations: [{ line: 2, column: 3 }], message }];
  return { status: 200, body: { data: { [graphqlField]: null }, errors } };
}
