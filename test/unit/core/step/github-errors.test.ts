import { describe, expect, it } from 'vitest';
import { errorRowOf, type FailedRequest } from '../../../../src/core/step/github-errors.ts';
import { GitHubError } from '../../../../src/core/step/ports.ts';

const HEAD = 'a'.repeat(40);

const RULES = 'Repository rule violations found Changes must be made through a pull request.';

/** GraphQL answers a failed commit with status 200. */
const commit = (type: string, detail: string): FailedRequest => ({
  status: 200,
  types: [type],
  detail,
  isCommit: true,
});

const rest = (status: number | null, detail = '', more: Partial<FailedRequest> = {}): FailedRequest => ({
  status,
  detail,
  ...more,
});

const INTEGRATION = 'Resource not accessible by integration';

describe('what an answer of GitHub means', () => {
  it.each<[string, FailedRequest, string]>([
    ['a young token on REST (R1)', rest(403, INTEGRATION, { tokenAgeMs: 14_999 }), 'try-again'],
    ['a token that is not known yet (R1)', rest(401, 'Bad credentials', { tokenAgeMs: 0 }), 'try-again'],
    ['a young token on GraphQL (R1)', { ...commit('FORBIDDEN', INTEGRATION), tokenAgeMs: 5_000 }, 'try-again'],
    ['the same from an old token (R1)', { ...commit('FORBIDDEN', INTEGRATION), tokenAgeMs: 15_000 }, 'not-allowed'],
    ['the same from a token of unknown age', rest(403, INTEGRATION), 'not-allowed'],
    ['a first 404 (R2)', rest(404, 'Not Found', { missingMs: 0 }), 'try-again'],
    ['a second one at once (R2)', rest(404, 'Not Found', { missingMs: 4_999 }), 'try-again'],
    ['a second one some seconds later (R2)', rest(404, 'Not Found', { missingMs: 5_000 }), 'gone'],
    ['… for what is new (R2)', rest(404, '', { missingMs: 5_000, thingAgeMs: 59_999 }), 'try-again'],
    ['… by a clock that is behind GitHub’s (R2)', rest(404, '', { missingMs: 60_000, thingAgeMs: -9 }), 'gone'],
    ['what GitHub calls gone', rest(410, 'This was deleted', { missingMs: 0 }), 'gone'],
    [
      'stale data (R4)',
      commit('STALE_DATA', `Expected branch to point to "${HEAD}" but it did not.  Pull.`),
      'branch-moved',
    ],
    ['another head (R4)', commit('FORBIDDEN', `refs/heads/x is at ${HEAD} but expected ${HEAD}`), 'branch-moved'],
    [
      'an unknown head (R4)',
      commit('NOT_FOUND', `No commit exists with specified expectedHeadOid '${HEAD}'.`),
      'branch-moved',
    ],
    [
      'a lost race of a young token (R4)',
      { ...commit('FORBIDDEN', `x is at ${HEAD} but expected ${HEAD}`), tokenAgeMs: 1 },
      'branch-moved',
    ],
    ['a conflict of git objects', rest(409, 'Conflict', { isCommit: true }), 'branch-moved'],
    ['a conflict elsewhere', rest(409, 'Conflict'), 'try-again'],
    ['branch protection in any words (R5)', commit('BRANCH_PROTECTION_RULE_VIOLATION', 'No.'), 'refused-by-rule'],
    ['a ruleset, with a young token too (R5)', { ...commit('FORBIDDEN', RULES), tokenAgeMs: 1 }, 'refused-by-rule'],
    ['a ruleset on git objects (R5)', rest(409, RULES, { isCommit: true }), 'refused-by-rule'],
    ['a ruleset on a ref (R5)', rest(422, RULES, { isCommit: true }), 'refused-by-rule'],
    ['a missing branch', commit('NOT_FOUND', 'A branch named `x` does not exist'), 'gone'],
    [
      'a workflow file',
      commit('FORBIDDEN', 'refusing to allow a GitHub App to create or update workflow'),
      'not-allowed',
    ],
    ['an anchor outside the diff (R9)', rest(422, 'Line could not be resolved'), 'our-mistake'],
    ['a large request', rest(413, 'Request Entity Too Large', { isCommit: true }), 'our-mistake'],
    ['no answer', rest(null, 'permission'), 'try-again'],
    ['an outage, whatever it says', rest(500, RULES), 'try-again'],
    ['a rate limit', rest(403, 'You have exceeded a secondary rate limit.', { tokenAgeMs: 1 }), 'try-again'],
    ['an unknown GraphQL error', { status: 200, types: [''], detail: 'Something else' }, 'try-again'],
  ])('%s', (_, failed, meaning) => {
    expect(errorRowOf(failed).meaning).toBe(meaning);
  });

  it.each<[string, FailedRequest]>([
    [
      'RESOURCE_LIMITS_EXCEEDED',
      { status: 200, types: ['RESOURCE_LIMITS_EXCEEDED'], detail: 'Resource limits exceeded.' },
    ],
    ['502', rest(502, 'Server Error')],
    ['504', rest(504)],
    ['a timeout in a 200', { status: 200, types: [], detail: 'Something went wrong while executing your query.' }],
  ])('%s asks for smaller pages (R6)', (_, failed) => {
    expect(errorRowOf(failed)).toMatchObject({ meaning: 'try-again', remedy: 'smaller-pages' });
  });

  it('a field that a server does not know asks for older ones (R6)', () => {
    const detail = "Field 'fullDatabaseId' doesn't exist on type 'IssueComment'";
    expect(errorRowOf({ status: 200, types: ['undefinedField'], detail }).remedy).toBe('older-fields');
  });

  it('an error with a time to wait for is no refusal', () => {
    expect(new GitHubError('locked', 403, 1_000).meaning).toBe('try-again');
    expect(new GitHubError('locked', 403, null).meaning).toBe('not-allowed');
  });
});
