import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createUserActor } from '../../../../fakes/github/fake-github.ts';
import { OPERATIONS } from '../../../../fakes/github/operations/operations.ts';
import type { CommitPlan, NewReview, ReviewCommentDraft } from '../../../../src/core/step/ports.ts';
import { markCountersigned } from '../../../../src/lib/trust.ts';
import { errorOf } from './http-mock.ts';
import { AFTER, BINARY, BRANCH, openStage, type Stage } from './simulated-stage.ts';

let stage: Stage;

/** Permission violations that a test causes on purpose. */
let onPurpose: readonly string[] = [];

beforeEach(async () => {
  onPurpose = [];
  stage = await openStage();
});

afterEach(async () => {
  await stage.simulator.close();
  expect(stage.simulator.violations.filter((line) => !onPurpose.some((words) => line.includes(words)))).toEqual([]);
});

const DRAFTS: readonly ReviewCommentDraft[] = [
  { path: 'src/a.txt', startLine: 18, line: 19, body: '<!-- mark:one -->\n```suggestion\nx\n```' },
  { path: 'src/a.txt', startLine: null, line: 20, body: '<!-- mark:two -->\n```suggestion\ny\n```' },
];

function reviewOf(body: string): NewReview {
  return { body, event: 'COMMENT', comments: DRAFTS };
}

function repository() {
  const found = stage.simulator.state().repositories.get(stage.repositoryId);
  if (found === undefined) throw new Error('the repository is gone');
  return found;
}

function pull() {
  const found = repository().pulls.get(stage.number);
  if (found === undefined) throw new Error('the pull request is gone');
  return found;
}

const branchHead = () => repository().refs.get(`refs/heads/${BRANCH}`);

function plan(files: CommitPlan['files'], expectedHead = stage.head): CommitPlan {
  const message = 'Edit a.txt\n\nCountersign-Proposal: k7q2';
  return { branch: BRANCH, expectedHead, message, files, proposalIds: ['k7q2'] };
}

const text = (words: string) => Buffer.from(words);

describe('reading', () => {
  it('returns the App’s identity, the pull request and permissions', async () => {
    const { simulator: fakeGitHub, githubs, github, head: headSha, mainHead, ana } = stage;
    expect(await githubs.identity()).toEqual({
      slug: 'countersign',
      botId: fakeGitHub.app.botId,
      owner: 'app-maker',
      installations: 1,
    });
    expect(await github.fetchPull()).toMatchObject({
      state: 'open',
      author: { id: ana, login: 'ana' },
      baseRef: 'main',
      baseSha: mainHead,
      headRef: BRANCH,
      headSha,
      fork: false,
      changedFiles: (await github.listFiles(headSha)).length,
    });
    expect(await github.fetchPermission('ana')).toEqual({ permission: 'admin', userId: ana });
  });

  it('returns files byte for byte, the tree with modes, the diff and the commits (C4)', async () => {
    const { github, head, mainHead } = stage;
    const tree = await github.fetchTree(head);
    expect(tree.get('run.sh')?.mode).toBe('100755');
    expect(tree.get('src')).toMatchObject({ mode: '040000', size: null });
    expect(Buffer.from(await github.fetchBlob(tree.get('logo.bin')?.sha ?? ''))).toEqual(BINARY);
    const [changed, ...others] = await github.listFiles(head);
    expect(others).toEqual([]);
    expect(changed).toMatchObject({ path: 'src/a.txt', status: 'modified' });
    expect(changed?.patch).toContain('+line twenty');
    expect((await github.listCommits(mainHead, head)).map(({ sha }) => sha)).toEqual([head]);
    expect(await github.listCommits(head, head)).toEqual([]);
  });

  it('the files of one head are fetched once', async () => {
    const { simulator: fakeGitHub, github, head } = stage;
    const first = await github.listFiles(head);
    expect(await github.listFiles(head)).toEqual(first);
    expect(fakeGitHub.requests.filter(({ name }) => name.endsWith('/files'))).toHaveLength(1);
  });

  it('the archive of a commit contains its files byte for byte', async () => {
    const files = await stage.github.fetchArchive(stage.head);
    expect([...(files?.keys() ?? [])].sort()).toEqual(['logo.bin', 'run.sh', 'src/a.txt']);
    expect(Buffer.from(files?.get('logo.bin') ?? [])).toEqual(BINARY);
    expect(Buffer.from(files?.get('src/a.txt') ?? []).toString()).toBe(AFTER);
  });

  it('reads with read-only tokens (I8)', async () => {
    await stage.github.fetchPull();
    await stage.github.listFiles(stage.head);
    const tokens = stage.simulator.requests.filter(({ name }) => name.includes('access_tokens'));
    expect(tokens.map(({ body }) => body)).toEqual([
      {
        repository_ids: [stage.repositoryId],
        permissions: { contents: 'read', pull_requests: 'read', issues: 'read', metadata: 'read' },
      },
    ]);
  });

  it('lists more than one page of commits', async () => {
    const { simulator: fakeGitHub, github, mainHead, ana } = stage;
    const on = { actor: createUserActor(ana), repositoryId: stage.repositoryId, branch: BRANCH };
    for (let count = 0; count < 120; count += 1) {
      fakeGitHub.apply(OPERATIONS.pushFiles, {
        ...on,
        files: new Map([['n.txt', `${count}\n`]]),
        message: `n ${count}`,
      });
    }
    const commits = await github.listCommits(mainHead, branchHead() ?? '');
    expect(commits).toHaveLength(121);
    expect([commits[0]?.message, commits[119]?.message]).toEqual(['n 119', 'n 0']);
  });

  it('a truncated body is an error', async () => {
    stage.simulator.faults.add({ route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files', kind: 'truncate' });
    await errorOf(stage.github.listFiles(stage.head));
  });
});

describe('commenting', () => {
  it('posts a review, finds it, edits a comment, replies, resolves the thread, reacts', async () => {
    const { github, head, ana } = stage;
    const { comments } = await github.createReview(head, reviewOf('Two changes'));
    const [one, two] = comments;
    if (one === undefined || two === undefined) throw new Error('comments are missing');
    const found = await github.findCommentsByMarker(
      ['<!-- mark:two -->', '<!-- mark:one -->', '<!-- mark:none -->'],
      null,
    );
    expect([...found].map(([marker, { id }]) => [marker, id]).sort()).toEqual([
      ['<!-- mark:one -->', one.id],
      ['<!-- mark:two -->', two.id],
    ]);
    expect(found.get('<!-- mark:one -->')).toMatchObject({ ...one, bodyHash: expect.any(String) });
    await github.updateComment(two, 'New words');
    expect(pull().reviewComments.get(two.id)?.body).toBe('New words');
    const reply = await github.createReply(two.id, 'An answer');
    expect(pull().reviewComments.get(reply.id)?.body).toBe('An answer');
    await github.resolveThread(two);
    await github.resolveThread(two);
    const states = [...pull().threads.values()].map(({ resolvedById }) => resolvedById);
    expect(states.filter((by) => by !== null)).toHaveLength(1);
    const on = { actor: createUserActor(ana), repositoryId: stage.repositoryId, number: stage.number };
    const posted = stage.simulator.apply(OPERATIONS.createIssueComment, { ...on, body: '/status' });
    await github.react({ at: 'conversation', commentId: posted.id }, 'eyes');
    await github.react({ at: 'conversation', commentId: posted.id }, 'eyes');
    expect(pull().comments.get(posted.id)?.reactions).toHaveLength(1);
  });

  it('reacts to a review', async () => {
    const { github, simulator: fakeGitHub, ana } = stage;
    const on = { actor: createUserActor(ana), repositoryId: stage.repositoryId, number: stage.number };
    const review = fakeGitHub.apply(OPERATIONS.createPullRequestReview, {
      ...on,
      body: '/approve all',
      event: 'COMMENT',
    });
    await github.react({ at: 'review', reviewId: review.id }, '+1');
    const newest = fakeGitHub.state().auditLog.newest?.entry;
    expect(newest).toMatchObject({ action: 'reaction-added', id: review.id, actorId: fakeGitHub.app.botId });
  });

  it('replies in a thread that a person started', async () => {
    const { github, simulator: fakeGitHub, ana, head } = stage;
    const on = { actor: createUserActor(ana), repositoryId: stage.repositoryId, number: stage.number };
    const place = { path: 'src/a.txt', line: 20, commitSha: head, subjectType: 'line' } as const;
    const root = fakeGitHub.apply(OPERATIONS.createReviewComment, { ...on, ...place, body: 'Hm?' });
    const reply = await github.createReply(root.id, 'Yes');
    expect(pull().reviewComments.get(reply.id)?.body).toBe('Yes');
  });

  it('comments on a file and in the conversation, and finds its comments', async () => {
    const { github, head } = stage;
    const since = new Date().toISOString();
    const onFile = await github.createFileComment(head, 'src/a.txt', '<!-- mark:file -->\nHi');
    const posted = await github.createComment('Done.\n');
    expect((await github.findCommentsByMarker(['<!-- mark:file -->'], null)).get('<!-- mark:file -->')).toMatchObject({
      kind: 'file-comment',
      id: onFile.id,
    });
    expect(await github.hasPosted('Done.', since)).toBe(true);
    expect(await github.hasPosted('Done?', since)).toBe(false);
    await github.updateComment(posted, 'Undone.');
    expect(pull().comments.get(posted.id)?.body).toBe('Undone.');
  });

  it('one anchor outside the diff makes GitHub refuse the whole review (C15)', async () => {
    const outside = { path: 'src/a.txt', startLine: null, line: 1, body: 'far away' };
    const fault = await errorOf(
      stage.github.createReview(stage.head, { ...reviewOf('x'), comments: [...DRAFTS, outside] }),
    );
    expect(fault.status).toBe(422);
    expect(fault.message).toContain('Line could not be resolved');
    expect(pull().reviewComments.size).toBe(0);
    expect((await errorOf(stage.github.createFileComment(stage.head, 'run.sh', 'x'))).status).toBe(422);
  });

  it('a review whose response was lost is found by its marker (G3, G4)', async () => {
    const { github, simulator: fakeGitHub, head } = stage;
    const route = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
    fakeGitHub.faults.add({ route: route, kind: 'fail-after-apply', status: 502 });
    expect((await errorOf(github.createReview(head, reviewOf('Two')))).status).toBe(502);
    fakeGitHub.faults.add({ route: route, kind: 'reset', applied: true });
    expect((await errorOf(github.createReview(head, reviewOf('Two')))).status).toBeNull();
    expect((await github.findCommentsByMarker(['<!-- mark:one -->', '<!-- mark:two -->'], null)).size).toBe(2);
    expect(fakeGitHub.requests.filter(({ name }) => name === route)).toHaveLength(2);
  });

  it('a conflicting pending review is deleted for the next attempt', async () => {
    const { github, simulator: fakeGitHub, head } = stage;
    const bot = { accountId: fakeGitHub.app.botId, viaAppId: fakeGitHub.app.id };
    const on = { actor: bot, repositoryId: stage.repositoryId, number: stage.number };
    fakeGitHub.apply(OPERATIONS.createPullRequestReview, { ...on, body: 'left by a crash' });
    expect((await errorOf(github.createReview(head, reviewOf('Two')))).status).toBe(409);
    expect((await github.createReview(head, reviewOf('Two'))).comments).toHaveLength(2);
  });
});

describe('committing', () => {
  const edit = { path: 'src/a.txt', content: { kind: 'bytes', bytes: text('one\r\ntwo') }, mode: '100644' } as const;
  const script = { path: 'run.sh', content: { kind: 'bytes', bytes: text('#!/bin/bash\n') }, mode: '100755' } as const;
  const deleted = { path: 'logo.bin', content: { kind: 'deleted' }, mode: '100644' } as const;

  it.each([
    ['plain files', [edit, deleted]],
    ['a file with another mode', [script, edit, deleted]],
  ])('commits %s on the head (S95)', async (_, files) => {
    const { github, head } = stage;
    const outcome = await github.commit(markCountersigned(plan(files)));
    if (outcome.kind !== 'committed') throw new Error(JSON.stringify(outcome));
    expect(branchHead()).toBe(outcome.sha);
    const tree = await github.fetchTree(outcome.sha);
    expect(Buffer.from(await github.fetchBlob(tree.get('src/a.txt')?.sha ?? '')).toString()).toBe('one\r\ntwo');
    expect(tree.get('run.sh')?.mode).toBe('100755');
    expect(tree.has('logo.bin')).toBe(false);
    expect(await github.listCommits(head, outcome.sha)).toEqual([
      {
        sha: outcome.sha,
        parent: head,
        message: 'Edit a.txt\n\nCountersign-Proposal: k7q2',
        authorId: stage.simulator.app.botId,
      },
    ]);
  });

  it.each([
    ['plain files', [edit]],
    ['a file with another mode', [script]],
  ])('a moved head refuses a commit of %s (S95)', async (_, files) => {
    const { simulator: fakeGitHub, github, ana } = stage;
    const on = { actor: createUserActor(ana), repositoryId: stage.repositoryId, branch: BRANCH };
    const moved = fakeGitHub.apply(OPERATIONS.pushFiles, { ...on, files: new Map([['b.txt', 'b\n']]) });
    expect(await github.commit(markCountersigned(plan(files)))).toEqual({ kind: 'head-moved' });
    expect(branchHead()).toBe(moved);
  });

  it.each([
    ['plain files', [edit]],
    ['a file with another mode', [script]],
  ])('explains that the rules of the branch refuse %s', async (_, files) => {
    const ruleset = { branches: [BRANCH], types: ['pull_request'], bypassIds: [] } as const;
    stage.simulator.apply(OPERATIONS.addRuleset, { repositoryId: stage.repositoryId, ruleset });
    const outcome = await stage.github.commit(markCountersigned(plan(files)));
    expect(outcome).toMatchObject({ kind: 'refused', message: expect.stringContaining('rules of this branch') });
    expect(branchHead()).toBe(stage.head);
  });

  it.each([
    ['plain files', '100644'],
    ['a file with another mode', '100755'],
  ] as const)('workflow files are refused: %s', async (_, mode) => {
    onPurpose = ['without `workflows` permission'];
    const files = [
      { path: '.github/workflows/ci.yml', content: { kind: 'bytes', bytes: text('on: push\n') }, mode } as const,
    ];
    const commit = () => stage.github.commit(markCountersigned(plan(files)));
    // GitHub answers 404 to the parts of a commit.
    if (mode === '100755') expect((await errorOf(commit())).meaning).toBe('try-again');
    stage.clock.passed += 60_000;
    expect((await commit()).kind).toBe('refused');
    expect(branchHead()).toBe(stage.head);
  });

  it.each([
    ['502', { kind: 'fail-after-apply', status: 502 }],
    ['a reset', { kind: 'reset', applied: true }],
    ['half an answer', { kind: 'truncate' }],
  ] as const)('after %s the commit exists once, and is recognized by its trailer (G3)', async (_, fault) => {
    const { simulator: fakeGitHub, github, head } = stage;
    fakeGitHub.faults.add({ route: 'graphql createCommitOnBranch', ...fault });
    await errorOf(github.commit(markCountersigned(plan([edit]))));
    const newCommits = await github.listCommits(head, branchHead() ?? '');
    expect(newCommits.map(({ message }) => message)).toEqual(['Edit a.txt\n\nCountersign-Proposal: k7q2']);
    expect(await github.commit(markCountersigned(plan([edit])))).toEqual({ kind: 'head-moved' });
  });
});
