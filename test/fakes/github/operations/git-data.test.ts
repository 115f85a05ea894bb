import { describe, expect, it } from 'vitest';
import { readGitCommit } from '../../../../fakes/github/git/objects.ts';
import {
  createCommitOnBranch,
  createGitBlob,
  createGitCommit,
  createGitTree,
  pushFiles,
} from '../../../../fakes/github/operations/git-data.ts';
import { createGitRef, deleteGitRef, updateGitRef } from '../../../../fakes/github/operations/refs.ts';
import { addRuleset } from '../../../../fakes/github/operations/repositories.ts';
import { gitCommitPayload } from '../../../../fakes/github/payloads/commits.ts';
import { createFixture, requireDefined } from '../fixture.ts';

const bytes = (text: string) => Buffer.from(text);

function createCommitFixture() {
  const fixture = createFixture();
  const onRepository = { actor: fixture.actors.bot, repositoryId: fixture.repositoryId };
  const commit = (over: Partial<Parameters<typeof createCommitOnBranch>[1]> = {}) => ({
    ...onRepository,
    branch: 'topic',
    expectedHeadOid: fixture.pull().head.sha,
    headline: 'Count exactly',
    additions: [{ path: 'src/a.txt', bytes: bytes('exact\r\n') }],
    deletions: [],
    ...over,
  });
  return { fixture, onRepository, commit };
}

describe('createCommitOnBranch', () => {
  it('commits only on the expected head, else refuses with GitHub’s message (B1)', () => {
    const { fixture, commit } = createCommitFixture();
    const stale = commit({ body: 'Trailer: yes' });
    fixture.push({ 'src/new.txt': 'meanwhile' });
    expect(fixture.refusal(createCommitOnBranch, stale)).toMatchObject({
      type: 'STALE_DATA',
      message: `Expected branch to point to "${stale.expectedHeadOid}" but it did not.  Pull and try again.`,
    });
    fixture.clearEvents();
    const before = fixture.pull().head.sha;
    const sha = fixture.apply(createCommitOnBranch, commit({ body: 'Trailer: yes' }));
    expect(fixture.pull().head.sha).toBe(sha);
    expect(fixture.eventNames()).toEqual(['push', 'pull_request.synchronize']);
    expect(fixture.events[1]?.payload).toMatchObject({
      before,
      after: sha,
      sender: { login: 'countersign[bot]', type: 'Bot' },
    });
    expect(fixture.problems).toEqual([]);
    expect(fixture.file('src/a.txt')).toBe('exact\r\n');
    const payload = requireDefined(gitCommitPayload(fixture.state(), fixture.repository(), sha));
    expect(payload).toMatchObject({
      message: 'Count exactly\n\nTrailer: yes',
      author: { name: 'countersign[bot]', email: `${fixture.app.botId}+countersign[bot]@users.noreply.github.com` },
      committer: { name: 'GitHub', email: 'noreply@github.com' },
      verification: { verified: true, reason: 'valid' },
      parents: [{ sha: before }],
    });
  });

  it('keeps the executable bit of a rewritten file, and refuses to delete a missing file (E5)', () => {
    const { fixture, commit } = createCommitFixture();
    expect(fixture.mode('run.sh')).toBe('100755');
    fixture.apply(
      createCommitOnBranch,
      commit({ additions: [{ path: 'run.sh', bytes: bytes('x') }], deletions: ['src/a.txt'] }),
    );
    expect(fixture.mode('run.sh')).toBe('100755');
    expect(fixture.mode('src/a.txt')).toBeUndefined();
    expect(fixture.refusal(createCommitOnBranch, commit({ additions: [], deletions: ['src/a.txt'] })).message).toMatch(
      /does not exist/,
    );
    expect(fixture.refusal(createCommitOnBranch, commit({ branch: 'none' })).type).toBe('NOT_FOUND');
    for (const path of ['../x', '/x', '.git/config', 'a//b', '']) {
      expect(fixture.refusal(createCommitOnBranch, commit({ additions: [{ path, bytes: bytes('') }] })).status).toBe(
        422,
      );
    }
  });

  it('refuses workflow files and pushes that a ruleset forbids', () => {
    const { fixture, commit, onRepository } = createCommitFixture();
    const workflow = { path: '.github/workflows/ci.yml', bytes: bytes('on: push') };
    expect(fixture.refusal(createCommitOnBranch, commit({ additions: [workflow] }))).toMatchObject({
      type: 'FORBIDDEN',
    });
    const tree = { ...onRepository, changes: [{ path: workflow.path, mode: '100644' as const, content: 'on: push' }] };
    expect(fixture.refusal(createGitTree, tree).status).toBe(404);
    const { repositoryId } = fixture;
    fixture.apply(addRuleset, {
      repositoryId,
      ruleset: { branches: ['topic'], types: ['update'], bypassIds: [fixture.actors.ben.accountId] },
    });
    expect(fixture.refusal(createCommitOnBranch, commit())).toMatchObject({
      type: 'FORBIDDEN',
      message: expect.stringMatching(/^Repository rule violations found/),
    });
    const anas = { actor: fixture.actors.ana, repositoryId, branch: 'topic', files: new Map([['x', 'y']]) };
    expect(fixture.refusal(pushFiles, anas).status).toBe(422);
    fixture.push({ x: 'bypassed' });
    expect(fixture.refusal(pushFiles, { ...anas, actor: fixture.actors.eve }).status).toBe(403);
  });
});

describe('the git data API', () => {
  it('keeps modes, deletes files and moves refs by fast-forward only', () => {
    const { fixture, onRepository } = createCommitFixture();
    const head = fixture.pull().head.sha;
    const baseTree = requireDefined(readGitCommit(fixture.state().store, head)).tree;
    const blob = fixture.apply(createGitBlob, { ...onRepository, bytes: bytes('#!/bin/sh\necho\n') });
    const changes = [
      { path: 'run.sh', mode: '100755' as const, sha: blob },
      { path: 'src/a.txt', mode: '100644' as const, sha: null },
    ];
    const tree = fixture.apply(createGitTree, { ...onRepository, baseTree, changes });
    const commit = fixture.apply(createGitCommit, { ...onRepository, message: 'm', tree, parents: [head] });
    expect(fixture.pull().head.sha).toBe(head);
    const orphan = fixture.apply(createGitCommit, { ...onRepository, message: 'm', tree, parents: [] });
    const ref = 'refs/heads/topic';
    expect(fixture.refusal(updateGitRef, { ...onRepository, ref, sha: orphan }).message).toBe(
      'Update is not a fast forward',
    );
    fixture.apply(updateGitRef, { ...onRepository, ref, sha: commit });
    expect([fixture.mode('run.sh'), fixture.mode('src/a.txt')]).toEqual(['100755', undefined]);
    expect(fixture.refusal(createGitTree, { ...onRepository, baseTree: tree, changes: changes.slice(1) }).status).toBe(
      422,
    );
    expect(fixture.refusal(createGitTree, { ...onRepository, baseTree: head, changes }).status).toBe(404);
    expect(fixture.refusal(createGitCommit, { ...onRepository, message: 'm', tree: head, parents: [] }).status).toBe(
      422,
    );
    expect(fixture.refusal(createGitRef, { ...onRepository, ref, sha: commit }).message).toBe(
      'Reference already exists',
    );
    expect(fixture.refusal(createGitRef, { ...onRepository, ref: 'topic', sha: commit }).status).toBe(422);
    const foreign = { ...onRepository, message: 'm', tree, parents: [], author: { name: 'Me', email: 'me@x.org' } };
    const unsigned = fixture.apply(createGitCommit, foreign);
    expect(gitCommitPayload(fixture.state(), fixture.repository(), unsigned)).toMatchObject({
      verification: { verified: false },
    });
    fixture.clearEvents();
    fixture.apply(updateGitRef, { ...onRepository, ref, sha: orphan, force: true });
    expect(fixture.events[0]?.payload).toMatchObject({ forced: true, before: commit, after: orphan });
    fixture.apply(deleteGitRef, { ...onRepository, ref });
    expect(fixture.eventNames()).toEqual(['push', 'pull_request.synchronize', 'push', 'pull_request.closed']);
    expect(fixture.problems).toEqual([]);
  });
});
