import { describe, expect, it } from 'vitest';
import type { CommitPlan } from '../../../../src/core/step/ports.ts';
import { markCountersigned } from '../../../../src/lib/trust.ts';
import {
  errorOf,
  HEAD,
  http,
  mockEachTest,
  NOW,
  outcomeLater,
  pullAnswer,
  READ_PERMISSIONS,
  REPO,
} from './http-mock.ts';

const SHA = 'c'.repeat(40);

const TREE_SHA = 'e'.repeat(40);

const BYTES = Buffer.from('let total = 0n\r\n');

const PLAN: CommitPlan = {
  branch: 'feature/totals',
  expectedHead: HEAD,
  message: 'Edit total.ts\n\nCountersign-Proposal: k7q2\nCo-authored-by: ana <7+ana@users.noreply.github.com>',
  files: [
    { path: 'src/total.ts', content: { kind: 'bytes', bytes: BYTES }, mode: '100644' },
    { path: 'old.ts', content: { kind: 'deleted' }, mode: '100755' },
  ],
  proposalIds: ['k7q2'],
};

const EXECUTABLE: CommitPlan = {
  ...PLAN,
  files: [{ path: 'run.sh', content: { kind: 'bytes', bytes: BYTES }, mode: '100755' }, ...PLAN.files],
};

mockEachTest((mock) => mock.expectWriteToken());

const commit = (plan = PLAN) => http.github.commit(markCountersigned(plan));

const graphql = (matches: (variables: unknown) => boolean = () => true) =>
  http.as('ghs_write').post('/graphql', (body: { variables: unknown }) => matches(body.variables));

const made = (repository: object | null) => ({
  createCommitOnBranch: { commit: { oid: SHA, tree: { oid: TREE_SHA }, repository } },
});

const answersError = (type: string | undefined, message: string) =>
  graphql().reply(200, { data: { createCommitOnBranch: null }, errors: [{ type, message }] });

describe('plain files', () => {
  it('are committed in one call with the expected head, bytes in base64, message in two parts, and no author (S95)', async () => {
    graphql((variables) => {
      expect(variables).toEqual({
        input: {
          branch: { repositoryNameWithOwner: 'ana/shop', branchName: 'feature/totals' },
          expectedHeadOid: HEAD,
          message: {
            headline: 'Edit total.ts',
            body: 'Countersign-Proposal: k7q2\nCo-authored-by: ana <7+ana@users.noreply.github.com>',
          },
          fileChanges: {
            additions: [{ path: 'src/total.ts', contents: BYTES.toString('base64') }],
            deletions: [{ path: 'old.ts' }],
          },
        },
        number: 3,
        size: 30,
      });
      return true;
    }).reply(200, { data: made(null) });
    expect(await commit()).toEqual({ kind: 'committed', sha: SHA });
  });

  it.each([
    [pullAnswer(), { isPullOpen: true }, []],
    [pullAnswer({ state: 'MERGED' }), {}, []],
    [null, {}, [{ type: 'FORBIDDEN', message: 'Resource not accessible by integration' }]],
  ])('count, also where the rest of the answer failed; it tells of a merge before it (V1, R14)', async (...answer) => {
    const [repository, known, errors] = answer;
    graphql().reply(200, { data: made(repository), errors });
    expect(await commit()).toEqual({ kind: 'committed', sha: SHA, ...known });
    if (repository === null) return;
    const { state, headSha } = await http.github.fetchRecentPull();
    expect(headSha).toBe(state === 'merged' ? HEAD : SHA);
  });

  it('whether one exists is open where the answer has errors and no commit (V1)', async () => {
    const errors = [{ type: 'FORBIDDEN', message: 'Resource not accessible by integration' }];
    graphql().reply(200, { data: { createCommitOnBranch: { commit: null } }, errors });
    expect((await errorOf(commit())).message).toContain('in an unknown form');
  });

  it.each([
    ['STALE_DATA', `Expected branch to point to "${HEAD}" but it did not. Pull and try again.`],
    ['FORBIDDEN', `refs/heads/feature/totals is at ${SHA} but expected ${HEAD}`],
    ['NOT_FOUND', `No commit exists with specified expectedHeadOid '${HEAD}'.`],
  ])('another head is recognized by %s (S95, R4)', async (type, message) => {
    answersError(type, message);
    expect(await commit()).toEqual({ kind: 'head-moved' });
  });

  it.each([
    ['BRANCH_PROTECTION_RULE_VIOLATION', 'Something new'],
    ['FORBIDDEN', 'Repository rule violations found\n\nCannot update this protected ref.'],
  ])('%s is a refusal by a rule, in GitHub’s own words (R5)', async (type, message) => {
    answersError(type, message);
    expect(await commit()).toEqual({
      kind: 'refused',
      byRule: true,
      message: `The rules of this branch refuse the commit: \`${message.replaceAll('\n\n', ' ')}\``,
    });
  });

  it.each([
    ['UNPROCESSABLE', 'GH013: Repository rule violations found\n\n- Changes must be made through a pull request.'],
    [undefined, 'A ref update failed: GH006: Protected branch update failed'],
    ['FORBIDDEN', 'Resource not accessible by integration'],
    ['NOT_FOUND', 'A branch named `feature/totals` does not exist'],
    ['UNPROCESSABLE', 'refusing to allow a GitHub App to update workflow `.github/workflows/ci.yml`'],
  ])('%s %s is a refusal with a publishable message', async (type, message) => {
    answersError('INTERNAL', 'Something went wrong');
    await errorOf(commit());
    http.clock.now += 60_000;
    answersError(type, message);
    const outcome = await commit();
    if (outcome.kind !== 'refused') throw new Error(`outcome ${outcome.kind}`);
    expect(outcome.message).toMatch(
      /^(The rules of this branch refuse|GitHub (refuses|does not find|requires the)).*`$/,
    );
    expect(outcome.message).not.toMatch(/\n|`[^`]*`[^`]*`[^`]*`[^`]*`[^`]*`/);
  });

  it('a rule that names a workflow is a rule, so that no further commit is tried', async () => {
    answersError(
      'UNPROCESSABLE',
      'Repository rule violations found\n\nRequired status check "workflow / test" is expected.',
    );
    expect(await commit()).toMatchObject({
      kind: 'refused',
      byRule: true,
      message: expect.stringMatching(/^The rules of this branch refuse/),
    });
  });

  it.each([
    ['502', 502, 'bad gateway'],
    ['200 with an unknown error', 200, { data: null, errors: [{ message: 'Something went wrong' }] }],
    ['200 without a commit', 200, { data: { createCommitOnBranch: null } }],
  ])('%s leaves the outcome unknown (G3)', async (_, status, body) => {
    graphql().reply(status, body);
    await errorOf(commit());
  });

  it('a reset leaves the outcome unknown, and the commit is requested once (G3)', async () => {
    graphql().replyWithError('socket hang up');
    expect((await errorOf(commit())).status).toBeNull();
  });

  it('a secondary rate limit is not a refusal', async () => {
    graphql().reply(403, { message: 'You have exceeded a secondary rate limit' }, { 'retry-after': '60' });
    expect((await errorOf(commit())).retryAt).toBe(NOW + 60_000);
  });
});

describe('a file with another mode', () => {
  const writer = () => http.as('ghs_write');
  const reader = () => http.as('ghs_read');

  const buildsObjects = () => {
    http.mints(READ_PERMISSIONS, 'ghs_read');
    const blob = { content: BYTES.toString('base64'), encoding: 'base64' };
    writer().post(`${REPO}/git/blobs`, blob).twice().reply(201, { sha: 'blob' });
    reader()
      .get(`${REPO}/git/commits/${HEAD}`)
      .reply(200, { sha: HEAD, tree: { sha: 'base' } });
    const tree = [
      { path: 'run.sh', mode: '100755', type: 'blob', sha: 'blob' },
      { path: 'src/total.ts', mode: '100644', type: 'blob', sha: 'blob' },
      { path: 'old.ts', mode: '100755', type: 'blob', sha: null },
    ];
    writer().post(`${REPO}/git/trees`, { base_tree: 'base', tree }).reply(201, { sha: 'tree' });
    writer()
      .post(`${REPO}/git/commits`, { message: PLAN.message, tree: 'tree', parents: [HEAD] })
      .reply(201, { sha: SHA });
  };
  const isFound = (id = 22) => reader().get(REPO).reply(200, { id, full_name: 'ana/shop', node_id: 'R_22' });
  const hasHead = (sha: string) =>
    reader()
      .get(`${REPO}/git/ref/heads%2Ffeature%2Ftotals`)
      .reply(200, { ref: 'refs/heads/feature/totals', object: { sha } });
  const move = () =>
    graphql((variables) => {
      const update = { name: 'refs/heads/feature/totals', beforeOid: HEAD, afterOid: SHA, force: false };
      expect(variables).toEqual({ input: { repositoryId: 'R_22', refUpdates: [update] } });
      return true;
    });
  const refusesMove = (type: string | undefined, message: string) =>
    move().reply(200, { data: { updateRefs: null }, errors: [{ type, message }] });

  it('keeps its mode through git objects, without an author and without force', async () => {
    buildsObjects();
    isFound();
    move().reply(200, { data: { updateRefs: { clientMutationId: null } } });
    expect(await commit(EXECUTABLE)).toEqual({ kind: 'committed', sha: SHA });
  });

  it.each([
    ['UNPROCESSABLE', 'Reference update failed'],
    ['STALE_DATA', `Expected branch to point to "${HEAD}" but it did not. Pull and try again.`],
    [undefined, 'A ref update failed'],
  ])('%s %s leaves a branch with another head unchanged, also an older one (S95)', async (type, message) => {
    buildsObjects();
    isFound();
    refusesMove(type, message);
    hasHead('d'.repeat(40));
    expect(await commit(EXECUTABLE)).toEqual({ kind: 'head-moved' });
  });

  it('an error of GitHub although the branch has the commit hides no commit (G3)', async () => {
    buildsObjects();
    isFound();
    refusesMove('UNPROCESSABLE', 'Reference update failed');
    hasHead(SHA);
    expect(await commit(EXECUTABLE)).toEqual({ kind: 'committed', sha: SHA });
  });

  it('a refusal by a rule has a message', async () => {
    buildsObjects();
    isFound();
    refusesMove('UNPROCESSABLE', 'Repository rule violations found');
    hasHead(HEAD);
    expect(await commit(EXECUTABLE)).toEqual({
      kind: 'refused',
      byRule: true,
      message: 'The rules of this branch refuse the commit: `Repository rule violations found`',
    });
  });

  it.each([
    ['502', 502, 'bad gateway'],
    ['200 without a result', 200, { data: { updateRefs: null } }],
  ])('%s to the last call leaves the outcome unknown (G3)', async (_, status, body) => {
    buildsObjects();
    isFound();
    move().reply(status, body);
    await errorOf(commit(EXECUTABLE));
  });

  it('another repository that has the name by now gets no commit', async () => {
    buildsObjects();
    isFound(23);
    expect((await errorOf(commit(EXECUTABLE))).status).toBe(404);
  });

  it('a 409 of a rule is no race (R5)', async () => {
    writer().post(`${REPO}/git/blobs`).reply(409, { message: 'Repository rule violations found' });
    expect(await commit(EXECUTABLE)).toMatchObject({ kind: 'refused', byRule: true });
  });

  it('a second 404, as for a workflow file, is a refusal (R2)', async () => {
    writer().post(`${REPO}/git/blobs`).twice().reply(404, { message: 'Not Found' });
    expect((await outcomeLater(http, () => commit(EXECUTABLE))).kind).toBe('refused');
  });
});
