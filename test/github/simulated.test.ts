import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ReviewRefused } from '../../src/github/faults.ts';
import type { CommitPlan } from '../../src/policy/countersigned.ts';
import { person } from '../../src/simulator/simulator.ts';
import { OPERATIONS } from '../../src/simulator/world/operations.ts';
import { countersigned } from '../../src/trust.ts';
import type { NewReview, ReviewDraft } from '../../src/worker/ports.ts';
import { faultOf } from './http-mock.ts';
import { AFTER, BINARY, BRANCH, openStage, type Stage } from './simulated-stage.ts';

let stage: Stage;
/** What a test does on purpose against the App's permissions. */
let onPurpose: readonly string[] = [];
beforeEach(async () => {
  onPurpose = [];
  stage = await openStage();
});
afterEach(async () => {
  await stage.simulator.close();
  expect(stage.simulator.violations.filter((line) => !onPurpose.some((words) => line.includes(words)))).toEqual([]);
});

const DRAFTS: readonly ReviewDraft[] = [
  { path: 'src/a.txt', startLine: 18, line: 19, body: '<!-- mark:one -->\n```suggestion\nx\n```' },
  { path: 'src/a.txt', startLine: null, line: 20, body: '<!-- mark:two -->\n```suggestion\ny\n```' },
];

function reviewOf(body: string): NewReview {
  return { body, event: 'COMMENT', drafts: DRAFTS };
}

function repository() {
  const found = stage.simulator.world().repositories.get(stage.repositoryId);
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
  it('knows itself, the pull request and who may what', async () => {
    const { simulator, githubs, github, head, mainHead, ana } = stage;
    expect(await githubs.self()).toEqual({ slug: 'countersign', botId: simulator.app.botId, owner: 'app-maker' });
    expect(await github.pull()).toMatchObject({
      state: 'open',
      author: { id: ana, login: 'ana' },
      baseRef: 'main',
      baseSha: mainHead,
      headRef: BRANCH,
      headSha: head,
      fork: false,
      changedFiles: (await github.files(head)).length,
    });
    expect(await github.permission('ana')).toEqual({ permission: 'admin', userId: ana });
    expect(await github.permission('countersign[bot]')).toMatchObject({ permission: 'none' });
  });

  it('C4: files byte for byte, the tree with modes, the diff, the commits', async () => {
    const { github, head, mainHead } = stage;
    const tree = await github.tree(head);
    expect(tree.get('run.sh')?.mode).toBe('100755');
    expect(tree.get('src')).toMatchObject({ mode: '040000', size: null });
    expect(Buffer.from(await github.blob(tree.get('logo.bin')?.sha ?? ''))).toEqual(BINARY);
    const [changed, ...others] = await github.files(head);
    expect(others).toEqual([]);
    expect(changed).toMatchObject({ path: 'src/a.txt', status: 'modified' });
    expect(changed?.patch).toContain('+line twenty');
    expect((await github.commits(mainHead, head)).map(({ sha }) => sha)).toEqual([head]);
    expect(await github.commits(head, head)).toEqual([]);
  });

  it('the files of one head are asked for once', async () => {
    const { simulator, github, head } = stage;
    const first = await github.files(head);
    expect(await github.files(head)).toEqual(first);
    expect(simulator.requests.filter(({ name }) => name.endsWith('/files'))).toHaveLength(1);
  });

  it('the archive of a commit holds its files byte for byte', async () => {
    const files = await stage.github.archive(stage.head);
    expect([...(files?.keys() ?? [])].sort()).toEqual(['logo.bin', 'run.sh', 'src/a.txt']);
    expect(Buffer.from(files?.get('logo.bin') ?? [])).toEqual(BINARY);
    expect(Buffer.from(files?.get('src/a.txt') ?? []).toString()).toBe(AFTER);
  });

  it('I8: reads with read-only tokens', async () => {
    await stage.github.pull();
    await stage.github.files(stage.head);
    const tokens = stage.simulator.requests.filter(({ name }) => name.includes('access_tokens'));
    expect(tokens.map(({ sent }) => sent)).toEqual([
      {
        repository_ids: [stage.repositoryId],
        permissions: { contents: 'read', pull_requests: 'read', issues: 'read', metadata: 'read' },
      },
    ]);
  });

  it('takes more than a page of commits', async () => {
    const { simulator, github, mainHead, ana } = stage;
    const on = { actor: person(ana), repositoryId: stage.repositoryId, branch: BRANCH };
    for (let count = 0; count < 120; count += 1) {
      simulator.apply(OPERATIONS.pushFiles, {
        ...on,
        files: new Map([['n.txt', `${count}\n`]]),
        message: `n ${count}`,
      });
    }
    const commits = await github.commits(mainHead, branchHead() ?? '');
    expect(commits).toHaveLength(121);
    expect([commits[0]?.message, commits[119]?.message]).toEqual(['n 119', 'n 0']);
  });

  it('a body cut in the middle is a fault', async () => {
    stage.simulator.faults.add({ on: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files', kind: 'truncate' });
    await faultOf(stage.github.files(stage.head));
  });
});

describe('talking', () => {
  it('posts a review, finds it, edits a comment, replies, resolves the thread, reacts', async () => {
    const { github, head, ana } = stage;
    const { comments } = await github.createReview(head, reviewOf('Two changes'));
    const [one, two] = comments;
    if (one === undefined || two === undefined) throw new Error('comments are missing');
    const found = await github.findByMarker(['<!-- mark:two -->', '<!-- mark:one -->', '<!-- mark:none -->'], null);
    expect([...found].map(([marker, { id }]) => [marker, id]).sort()).toEqual([
      ['<!-- mark:one -->', one.id],
      ['<!-- mark:two -->', two.id],
    ]);
    expect(found.get('<!-- mark:one -->')).toMatchObject({ ...one, bodyHash: expect.any(String) });
    await github.updateComment(two, 'New words');
    expect(pull().reviewComments.get(two.id)?.body).toBe('New words');
    const reply = await github.reply(two.id, 'An answer');
    expect(pull().reviewComments.get(reply.id)?.body).toBe('An answer');
    await github.resolveThread(two);
    await github.resolveThread(two);
    const states = [...pull().threads.values()].map(({ resolvedById }) => resolvedById);
    expect(states.filter((by) => by !== null)).toHaveLength(1);
    const on = { actor: person(ana), repositoryId: stage.repositoryId, number: stage.number };
    const said = stage.simulator.apply(OPERATIONS.createComment, { ...on, body: '/status' });
    await github.react({ at: 'conversation', commentId: said.id }, 'eyes');
    await github.react({ at: 'conversation', commentId: said.id }, 'eyes');
    expect(pull().comments.get(said.id)?.reactions).toHaveLength(1);
  });

  it('reacts to a review', async () => {
    const { github, simulator, ana } = stage;
    const on = { actor: person(ana), repositoryId: stage.repositoryId, number: stage.number };
    const review = simulator.apply(OPERATIONS.createReview, { ...on, body: '/approve all', event: 'COMMENT' });
    await github.react({ at: 'review', reviewId: review.id }, '+1');
    const newest = simulator.world().history.newest?.entry;
    expect(newest).toMatchObject({ kind: 'reaction-added', id: review.id, actorId: simulator.app.botId });
  });

  it('replies in a thread that a person began', async () => {
    const { github, simulator, ana, head } = stage;
    const on = { actor: person(ana), repositoryId: stage.repositoryId, number: stage.number };
    const place = { path: 'src/a.txt', line: 20, commitSha: head, subjectType: 'line' } as const;
    const root = simulator.apply(OPERATIONS.createReviewComment, { ...on, ...place, body: 'Hm?' });
    const reply = await github.reply(root.id, 'Yes');
    expect(pull().reviewComments.get(reply.id)?.body).toBe('Yes');
  });

  it('comments on a file and in the conversation, and knows what it wrote', async () => {
    const { github, head } = stage;
    const since = new Date().toISOString();
    const onFile = await github.createFileComment(head, 'src/a.txt', '<!-- mark:file -->\nHi');
    const said = await github.createComment('Done.\n');
    expect((await github.findByMarker(['<!-- mark:file -->'], null)).get('<!-- mark:file -->')).toMatchObject({
      kind: 'file-comment',
      id: onFile.id,
    });
    expect(await github.wrote('Done.', since)).toBe(true);
    expect(await github.wrote('Done?', since)).toBe(false);
    await github.updateComment(said, 'Undone.');
    expect(pull().comments.get(said.id)?.body).toBe('Undone.');
  });

  it('C15: one anchor outside of the diff refuses the review whole', async () => {
    const outside = { path: 'src/a.txt', startLine: null, line: 1, body: 'far away' };
    const fault = await faultOf(
      stage.github.createReview(stage.head, { ...reviewOf('x'), drafts: [...DRAFTS, outside] }),
    );
    expect(fault).toBeInstanceOf(ReviewRefused);
    expect(fault.message).toContain('must be part of the diff');
    expect(pull().reviewComments.size).toBe(0);
    expect(await faultOf(stage.github.createFileComment(stage.head, 'run.sh', 'x'))).toBeInstanceOf(ReviewRefused);
  });

  it('G3, G4: an answer that was lost after the review was made: found again by its marker', async () => {
    const { github, simulator, head } = stage;
    const route = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
    simulator.faults.add({ on: route, kind: 'after', status: 502 });
    expect((await faultOf(github.createReview(head, reviewOf('Two')))).status).toBe(502);
    simulator.faults.add({ on: route, kind: 'reset', applied: true });
    expect((await faultOf(github.createReview(head, reviewOf('Two')))).status).toBeNull();
    expect((await github.findByMarker(['<!-- mark:one -->', '<!-- mark:two -->'], null)).size).toBe(2);
    expect(simulator.requests.filter(({ name }) => name === route)).toHaveLength(2);
  });

  it('a pending review in the way is cleared for the next try', async () => {
    const { github, simulator, head } = stage;
    const bot = { accountId: simulator.app.botId, viaAppId: simulator.app.id };
    const on = { actor: bot, repositoryId: stage.repositoryId, number: stage.number };
    simulator.apply(OPERATIONS.createReview, { ...on, body: 'left by a crash' });
    expect((await faultOf(github.createReview(head, reviewOf('Two')))).status).toBe(409);
    expect((await github.createReview(head, reviewOf('Two'))).comments).toHaveLength(2);
  });
});

describe('committing', () => {
  const edit = { path: 'src/a.txt', content: { kind: 'bytes', bytes: text('one\r\ntwo') }, mode: '100644' } as const;
  const script = { path: 'run.sh', content: { kind: 'bytes', bytes: text('#!/bin/bash\n') }, mode: '100755' } as const;
  const gone = { path: 'logo.bin', content: { kind: 'gone' }, mode: '100644' } as const;

  it.each([
    ['plain files', [edit, gone]],
    ['a file with another mode', [script, edit, gone]],
  ])('S95: commits %s on the head', async (_, files) => {
    const { github, head } = stage;
    const outcome = await github.commit(countersigned(plan(files)));
    if (outcome.kind !== 'committed') throw new Error(JSON.stringify(outcome));
    expect(branchHead()).toBe(outcome.sha);
    const tree = await github.tree(outcome.sha);
    expect(Buffer.from(await github.blob(tree.get('src/a.txt')?.sha ?? '')).toString()).toBe('one\r\ntwo');
    expect(tree.get('run.sh')?.mode).toBe('100755');
    expect(tree.has('logo.bin')).toBe(false);
    expect(await github.commits(head, outcome.sha)).toEqual([
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
  ])('S95: a moved head takes no commit of %s', async (_, files) => {
    const { simulator, github, ana } = stage;
    const on = { actor: person(ana), repositoryId: stage.repositoryId, branch: BRANCH };
    const moved = simulator.apply(OPERATIONS.pushFiles, { ...on, files: new Map([['b.txt', 'b\n']]) });
    expect(await github.commit(countersigned(plan(files)))).toEqual({ kind: 'head-moved' });
    expect(branchHead()).toBe(moved);
  });

  it.each([
    ['plain files', [edit]],
    ['a file with another mode', [script]],
  ])('rules of the branch refuse %s in words', async (_, files) => {
    const rule = { branches: [BRANCH], types: ['pull_request'], bypassIds: [] } as const;
    stage.simulator.apply(OPERATIONS.addRule, { repositoryId: stage.repositoryId, rule });
    const outcome = await stage.github.commit(countersigned(plan(files)));
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
    expect((await stage.github.commit(countersigned(plan(files)))).kind).toBe('refused');
    expect(branchHead()).toBe(stage.head);
  });

  it.each([
    ['502', { kind: 'after', status: 502 }],
    ['a reset', { kind: 'reset', applied: true }],
    ['half an answer', { kind: 'truncate' }],
  ] as const)('G3: after %s the commit is there once, and known by its trailer', async (_, fault) => {
    const { simulator, github, head } = stage;
    simulator.faults.add({ on: 'graphql createCommitOnBranch', ...fault });
    await faultOf(github.commit(countersigned(plan([edit]))));
    const landed = await github.commits(head, branchHead() ?? '');
    expect(landed.map(({ message }) => message)).toEqual(['Edit a.txt\n\nCountersign-Proposal: k7q2']);
    expect(await github.commit(countersigned(plan([edit])))).toEqual({ kind: 'head-moved' });
  });
});
