import { execFileSync } from 'node:child_process';
import type { Octokit } from '@octokit/rest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../../fakes/github/operations/operations.ts';
import { ROUTES } from '../../../../fakes/github/rest/routes.ts';
import type { FakeActor, FakeApp } from '../../../../fakes/github/state/github-state.ts';
import { appClient, openShop, type Shop, tokenClient, WRITE } from '../shop.ts';

let shop: Shop;

let client: Octokit;

let repo: { readonly owner: string; readonly repo: string };

beforeAll(async () => {
  shop = await openShop();
  client = await tokenClient(shop, WRITE);
  repo = { owner: 'ana', repo: 'shop' };
});

afterAll(() => shop.github.close());

const CHECKS = { contents: 'read', checks: 'write', statuses: 'read', actions: 'read' } as const;

/** GitHub Actions, on the account of the shop. */
function addWorkflow({ github, ana }: Shop): { readonly ci: FakeApp; readonly actor: FakeActor } {
  const permissions = { checks: 'write', metadata: 'read' } as const;
  const ci = github.apply(OPERATIONS.addApp, { slug: 'github-actions', ownerId: ana.id, permissions, events: [] });
  return { ci, actor: { accountId: ci.botId, viaAppId: ci.id } };
}

const text = (data: unknown): string =>
  data instanceof ArrayBuffer ? Buffer.from(data).toString('utf8') : String(data);

describe('every REST operation, checked against OpenAPI in both directions', () => {
  it('the conversation: comments, edits, reactions, deletion', async () => {
    const { issues, reactions } = client.rest;
    const { data: comment } = await issues.createComment({ ...repo, issue_number: shop.pull.number, body: 'hello' });
    const one = { ...repo, comment_id: comment.id };
    expect(comment.performed_via_github_app?.slug).toBe('countersign');
    await issues.updateComment({ ...one, body: 'hello again' });
    expect((await issues.getComment(one)).data.body).toBe('hello again');
    expect((await reactions.createForIssueComment({ ...one, content: 'eyes' })).status).toBe(201);
    expect((await reactions.createForIssueComment({ ...one, content: 'eyes' })).status).toBe(200);
    expect((await reactions.listForIssueComment(one)).data.map(({ content }) => content)).toEqual(['eyes']);
    expect((await issues.listComments({ ...repo, issue_number: shop.pull.number })).data).toHaveLength(1);
    await issues.deleteComment(one);
    await expect(issues.getComment(one)).rejects.toMatchObject({ status: 404 });
  });

  it('reviews: pending, edited, deleted, listed, dismissed', async () => {
    const { pulls } = client.rest;
    const { data: pending } = await pulls.createReview({ ...shop.pullParams, body: 'draft' });
    expect(pending.state).toBe('PENDING');
    await pulls.deletePendingReview({ ...shop.pullParams, review_id: pending.id });
    const { data: asking } = await pulls.createReview({ ...shop.pullParams, body: 'no', event: 'REQUEST_CHANGES' });
    const one = { ...shop.pullParams, review_id: asking.id };
    expect((await pulls.updateReview({ ...one, body: 'not yet' })).data.body).toBe('not yet');
    expect((await pulls.dismissReview({ ...one, message: 'fine' })).data.state).toBe('DISMISSED');
    expect((await pulls.getReview(one)).data.state).toBe('DISMISSED');
    expect((await pulls.listReviews(shop.pullParams)).data.map(({ id }) => id)).toEqual([asking.id]);
  });

  it('threads: single comments, on files, replies, edits, reactions, deletion', async () => {
    const { pulls, reactions } = client.rest;
    const at = { ...shop.pullParams, path: 'src/total.ts', commit_id: shop.pull.head.sha };
    const { data: root } = await pulls.createReviewComment({
      ...at,
      body: 'here',
      start_line: 4,
      line: 5,
      side: 'RIGHT',
    });
    const { data: file } = await pulls.createReviewComment({ ...at, body: 'this file', subject_type: 'file' });
    expect(file).toMatchObject({ subject_type: 'file', line: 1 });
    const { data: reply } = await pulls.createReviewComment({ ...at, body: 'and', in_reply_to: root.id });
    expect(reply.in_reply_to_id).toBe(root.id);
    const one = { ...repo, comment_id: reply.id };
    await pulls.updateReviewComment({ ...one, body: 'or' });
    expect((await pulls.getReviewComment(one)).data.body).toBe('or');
    await reactions.createForPullRequestReviewComment({ ...one, content: '+1' });
    expect((await reactions.listForPullRequestReviewComment(one)).data).toHaveLength(1);
    await pulls.deleteReviewComment(one);
    const left = await client.paginate(pulls.listReviewComments, { ...shop.pullParams, per_page: 1 });
    expect(left.map(({ id }) => id)).toEqual([root.id, file.id]);
    const review = { ...shop.pullParams, review_id: Number(root.pull_request_review_id) };
    expect((await pulls.listCommentsForReview(review)).data).toHaveLength(1);
  });

  it('the repository: permission, rules, history, comparison', async () => {
    const { repos } = client.rest;
    await repos.get(repo);
    const level = await repos.getCollaboratorPermissionLevel({ ...repo, username: 'ANA' });
    expect(level.data).toMatchObject({ permission: 'admin', user: { login: 'ana' } });
    const bot = repos.getCollaboratorPermissionLevel({ ...repo, username: 'countersign[bot]' });
    await expect(bot).rejects.toMatchObject({ status: 404, message: expect.stringContaining('is not a user') });
    const ruleset = { branches: ['main'], types: ['pull_request', 'update'] as const, bypassIds: [] };
    shop.github.apply(OPERATIONS.addRuleset, { repositoryId: shop.repository.id, ruleset });
    const rules = await repos.getBranchRules({ ...repo, branch: 'main' });
    expect(rules.data.map(({ type }) => type)).toEqual(['pull_request', 'update']);
    expect((await repos.listCommits({ ...repo, sha: 'topic', path: 'src/total.ts' })).data).toHaveLength(2);
    expect((await repos.listCommits({ ...repo, sha: 'topic', path: 'README.md' })).data).toHaveLength(1);
    const commit = await repos.getCommit({ ...repo, ref: 'topic' });
    expect(commit.data).toMatchObject({ sha: shop.pull.head.sha, stats: { additions: 1, deletions: 1 } });
    const { data: compared } = await repos.compareCommitsWithBasehead({ ...repo, basehead: 'main...topic' });
    expect(compared).toMatchObject({ status: 'ahead', ahead_by: 1, files: [{ filename: 'src/total.ts' }] });
    const same = await repos.compareCommitsWithBasehead({ ...repo, basehead: 'topic...main' });
    expect(same.data).toMatchObject({ status: 'behind', behind_by: 1, files: [] });
    const second = await repos.compareCommitsWithBasehead({ ...repo, basehead: 'main...topic', per_page: 1, page: 2 });
    expect(second.data).toMatchObject({ total_commits: 1, commits: [], files: [] });
  });

  it('git data: blob, tree, commit and ref make a verified commit; a stale ref is refused', async () => {
    const { git } = client.rest;
    const tip = (await git.getRef({ ...repo, ref: 'heads/topic' })).data.object.sha;
    const base = (await git.getCommit({ ...repo, commit_sha: tip })).data;
    const { data: blob } = await git.createBlob({
      ...repo,
      content: Buffer.from('#!/bin/sh\n').toString('base64'),
      encoding: 'base64',
    });
    expect((await git.getBlob({ ...repo, file_sha: blob.sha })).data).toMatchObject({ size: 10, encoding: 'base64' });
    const raw = await git.getBlob({ ...repo, file_sha: blob.sha, mediaType: { format: 'raw' } });
    expect(text(raw.data)).toBe('#!/bin/sh\n');
    const run = { path: 'bin/run', mode: '100755', type: 'blob', sha: blob.sha } as const;
    const { data: tree } = await git.createTree({ ...repo, base_tree: base.tree.sha, tree: [run] });
    const { data: commit } = await git.createCommit({ ...repo, message: 'Run', tree: tree.sha, parents: [tip] });
    expect(commit.verification.verified).toBe(true);
    await git.createRef({ ...repo, ref: 'refs/heads/other', sha: tip });
    await git.updateRef({ ...repo, ref: 'heads/topic', sha: commit.sha, force: false });
    await expect(git.updateRef({ ...repo, ref: 'heads/topic', sha: tip, force: false })).rejects.toMatchObject({
      status: 422,
    });
    const { data: listing } = await git.getTree({ ...repo, tree_sha: commit.sha, recursive: '1' });
    expect(listing.tree.map(({ path, mode }) => `${mode} ${path}`)).toEqual([
      '100644 README.md',
      '040000 bin',
      '100755 bin/run',
      '040000 src',
      '100644 src/total.ts',
    ]);
    expect((await git.getTree({ ...repo, tree_sha: 'topic' })).data.tree).toHaveLength(3);
  });

  it('the archive redirects to a signed link that needs no token', async () => {
    const { url } = await client.rest.repos.downloadTarballArchive({ ...repo, ref: 'topic' });
    const response = await fetch(url);
    const names = execFileSync('tar', ['-tz'], { input: Buffer.from(await response.arrayBuffer()), encoding: 'utf8' });
    expect(names.split('\n')[1]).toMatch(/^ana-shop-[0-9a-f]{7}\/README\.md$/);
    expect((await fetch(url.replace(/token=./, 'token=x'))).status).toBe(404);
  });

  it('the App: identity, installations, tokens, limits', async () => {
    const app = appClient(shop);
    await app.rest.apps.getAuthenticated();
    expect((await app.rest.apps.listInstallations({ per_page: 1 })).data).toHaveLength(1);
    await app.rest.apps.getRepoInstallation(repo);
    await client.rest.users.getByUsername({ username: 'ana' });
    expect((await client.rest.rateLimit.get()).data.rate.limit).toBe(5000);
  });

  it('pull requests: one, by branch and state, commits, files', async () => {
    expect((await client.rest.pulls.get(shop.pullParams)).data).toMatchObject({ number: 1, head: { ref: 'topic' } });
    const numbers = async (filter: { readonly head?: string; readonly state?: 'open' | 'closed' | 'all' }) =>
      (await client.rest.pulls.list({ ...repo, ...filter })).data.map(({ number }) => number);
    expect(await numbers({ head: 'Ana:topic', state: 'open' })).toEqual([1]);
    expect(await numbers({ head: 'ana:other' })).toEqual([]);
    expect(await numbers({ head: 'somebody:topic' })).toEqual([]);
    expect(await numbers({ head: 'topic' })).toEqual([1]);
    expect(await numbers({ state: 'closed' })).toEqual([]);
    expect(await numbers({ state: 'all' })).toEqual([1]);
    await client.rest.pulls.listFiles(shop.pullParams);
    await client.rest.pulls.listCommits(shop.pullParams);
  });

  it('webhooks: the delivery log in pages, one delivery, redelivery', async () => {
    const { apps } = appClient(shop).rest;
    shop.github.setWebhookTarget('http://127.0.0.1:9/');
    await shop.github.whenIdle();
    const all = (await apps.listWebhookDeliveries({ per_page: 100 })).data;
    expect(all.length).toBeGreaterThan(2);
    expect(all.map(({ id }) => Number(id))).toEqual(all.map(({ id }) => Number(id)).toSorted((a, b) => b - a));
    const first = await apps.listWebhookDeliveries({ per_page: 1 });
    const cursor = new URL(/<(.*?)>/.exec(first.headers.link ?? '')?.[1] ?? '').searchParams.get('cursor') ?? '';
    const second = await apps.listWebhookDeliveries({ per_page: 1, cursor });
    expect([first, second].map(({ data }) => data[0]?.id)).toEqual([all[0]?.id, all[1]?.id]);
    const one = { delivery_id: all[0]?.id ?? 0 };
    const { data: sent } = await apps.getWebhookDelivery(one);
    expect(sent.request.headers?.['x-github-delivery']).toBe(sent.guid);
    await apps.redeliverWebhookDelivery(one);
    await shop.github.whenIdle();
    const [again] = (await apps.listWebhookDeliveries({ per_page: 1 })).data;
    expect(again).toMatchObject({ guid: sent.guid, redelivery: true, status_code: 0 });
    const failures = await apps.listWebhookDeliveries({ status: 'failure', per_page: 100 });
    expect(failures.data).toHaveLength(all.length + 1);
    expect((await apps.listWebhookDeliveries({ status: 'success' })).data).toEqual([]);
    expect((await apps.getWebhookConfigForApp()).data).toMatchObject({ content_type: 'json' });
  });

  it('(CK20) checks: own check runs, another App’s suite, statuses, a job’s log and its end', async () => {
    const { checks, repos, actions } = (await tokenClient(shop, CHECKS)).rest;
    const head = (await repos.getCommit({ ...repo, ref: 'topic' })).data.sha;
    const { data: own } = await checks.create({ ...repo, name: 'Countersign', head_sha: head, conclusion: 'neutral' });
    expect(own).toMatchObject({ status: 'completed', app: { slug: 'countersign' }, pull_requests: [{ number: 1 }] });
    const action = { label: 'Approve all', description: 'All of them', identifier: 'approve:0123' };
    const output = { title: '1 change', summary: 'waits', text: 'diff' };
    const one = { ...repo, check_run_id: own.id };
    await checks.update({ ...one, conclusion: 'action_required', actions: [action], output });
    expect((await checks.get(one)).data).toMatchObject({ conclusion: 'action_required', output: { text: 'diff' } });

    const { ci, actor } = addWorkflow(shop);
    const onHead = { actor, repositoryId: shop.repository.id, headSha: head };
    const suite = shop.github.apply(OPERATIONS.openCheckSuite, { ...onHead, expectsMore: true });
    const listSuites = async () => (await checks.listSuitesForRef({ ...repo, ref: head, app_id: ci.id })).data;
    expect((await listSuites()).check_suites).toMatchObject([{ status: 'queued', conclusion: null }]);
    const annotation = {
      path: 'a.ts',
      startLine: 2,
      endLine: 2,
      level: 'failure',
      message: 'no',
      title: null,
    } as const;
    const inSuite = { ...onHead, suiteId: suite.id, name: 'build' };
    const job = shop.github.apply(OPERATIONS.createCheckRun, { ...inSuite, annotations: [annotation], log: 'a\nb\n' });
    shop.github.apply(OPERATIONS.updateCheckRun, { ...onHead, checkRunId: job.id, conclusion: 'failure' });
    expect((await listSuites()).check_suites).toMatchObject([{ status: 'in_progress' }]);
    shop.github.apply(OPERATIONS.closeCheckSuite, { ...onHead, suiteId: suite.id });
    expect((await listSuites()).check_suites).toMatchObject([{ status: 'completed', conclusion: 'failure' }]);
    await expect(checks.update({ ...repo, check_run_id: job.id, name: 'mine' })).rejects.toMatchObject({ status: 403 });
    expect((await checks.listAnnotations({ ...repo, check_run_id: job.id })).data).toMatchObject([{ path: 'a.ts' }]);

    shop.github.apply(OPERATIONS.createCheckRun, { ...inSuite, conclusion: 'success' });
    const ofSuite = await checks.listForSuite({ ...repo, check_suite_id: suite.id, filter: 'all' });
    expect(ofSuite.data.check_runs.map(({ conclusion }) => conclusion)).toEqual(['success', 'failure']);
    const latest = await checks.listForRef({ ...repo, ref: 'topic', check_name: 'build', app_id: ci.id });
    expect(latest.data).toMatchObject({ total_count: 1, check_runs: [{ conclusion: 'success' }] });

    for (const state of ['pending', 'failure'] as const)
      shop.github.apply(OPERATIONS.createCommitStatus, { ...onHead, sha: head, state, context: 'ci/old' });
    expect((await repos.getCombinedStatusForRef({ ...repo, ref: head })).data).toMatchObject({
      state: 'failure',
      statuses: [{ context: 'ci/old', state: 'failure' }],
    });
    expect((await repos.listCommitStatusesForRef({ ...repo, ref: head })).data).toHaveLength(2);

    const { url } = await actions.downloadJobLogsForWorkflowRun({ ...repo, job_id: job.id });
    expect(await (await fetch(url)).text()).toBe('a\nb\n');
    const end = await fetch(url, { headers: { range: 'bytes=2-' } });
    expect([end.status, await end.text()]).toEqual([206, 'b\n']);
    await expect(actions.downloadJobLogsForWorkflowRun({ ...repo, job_id: own.id })).rejects.toMatchObject({
      status: 404,
    });
  });

  it('a label of a pull request: an App that may not create one is refused', async () => {
    const { issues } = client.rest;
    const pull = { ...repo, issue_number: shop.pull.number };
    await expect(issues.addLabels({ ...pull, labels: ['waiting'] })).rejects.toMatchObject({ status: 403 });
    expect((await issues.listLabelsOnIssue(pull)).data).toEqual([]);
    await expect(issues.removeLabel({ ...pull, name: 'waiting' })).rejects.toMatchObject({ status: 404 });
  });

  it('members of a team are hidden from a token that may not see them', async () => {
    const membership = { org: 'acme', team_slug: 'payments', username: 'ana' };
    await expect(client.rest.teams.getMembershipForUserInOrg(membership)).rejects.toMatchObject({ status: 403 });
  });

  it('covers every route without a violation of GitHub’s description (I7, J13)', () => {
    const called = new Set(shop.github.requests.map(({ name }) => name));
    expect(ROUTES.map(({ route }) => route.name).filter((name) => !called.has(name))).toEqual([]);
    expect(shop.github.violations).toEqual([]);
  });
});
