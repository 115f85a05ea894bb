import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
import { listAuditEntries } from '../../../../fakes/github/state/audit-log.ts';
import { found, scene } from '../scene.ts';

const bytes = (text: string) => Buffer.from(text);

function writer() {
  const stage = scene();
  const onRepository = { actor: stage.actors.bot, repositoryId: stage.repositoryId };
  const commit = (over: Partial<Parameters<typeof createCommitOnBranch>[1]> = {}) => ({
    ...onRepository,
    branch: 'topic',
    expectedHeadOid: stage.pull().head.sha,
    headline: 'Count exactly',
    additions: [{ path: 'src/a.txt', bytes: bytes('exact\r\n') }],
    deletions: [],
    ...over,
  });
  return { stage, onRepository, commit };
}

describe('createCommitOnBranch', () => {
  it('commits only on the expected head, else refuses with GitHub’s message (B1)', () => {
    const { stage, commit } = writer();
    const stale = commit({ body: 'Trailer: yes' });
    stage.push({ 'src/new.txt': 'meanwhile' });
    expect(stage.refusal(createCommitOnBranch, stale)).toMatchObject({
      type: 'STALE_DATA',
      message: `Expected branch to point to "${stale.expectedHeadOid}" but it did not. Pull and try again.`,
    });
    stage.forget();
    const before = stage.pull().head.sha;
    const sha = stage.apply(createCommitOnBranch, commit({ body: 'Trailer: yes' }));
    expect(stage.pull().head.sha).toBe(sha);
    expect(stage.eventNames()).toEqual(['push', 'pull_request.synchronize']);
    expect(stage.events[1]?.payload).toMatchObject({
      before,
      after: sha,
      sender: { login: 'countersign[bot]', type: 'Bot' },
    });
    expect(stage.problems).toEqual([]);
    expect(stage.file('src/a.txt')).toBe('exact\r\n');
    const made = found(gitCommitPayload(stage.state(), stage.repository(), sha));
    expect(made).toMatchObject({
      message: 'Count exactly\n\nTrailer: yes',
      author: { name: 'countersign[bot]', email: `${stage.app.botId}+countersign[bot]@users.noreply.github.com` },
      committer: { name: 'GitHub', email: 'noreply@github.com' },
      verification: { verified: true, reason: 'valid' },
      parents: [{ sha: before }],
    });
  });

  it('loses the executable bit of a rewritten file, and refuses to delete a missing file (E5)', () => {
    const { stage, commit } = writer();
    expect(stage.mode('run.sh')).toBe('100755');
    stage.apply(
      createCommitOnBranch,
      commit({ additions: [{ path: 'run.sh', bytes: bytes('x') }], deletions: ['src/a.txt'] }),
    );
    expect(stage.mode('run.sh')).toBe('100644');
    expect(stage.mode('src/a.txt')).toBeUndefined();
    expect(stage.refusal(createCommitOnBranch, commit({ additions: [], deletions: ['src/a.txt'] })).message).toMatch(
      /does not exist/,
    );
    expect(stage.refusal(createCommitOnBranch, commit({ branch: 'none' })).type).toBe('NOT_FOUND');
    for (const path of ['../x', '/x', '.git/config', 'a//b', '']) {
      expect(stage.refusal(createCommitOnBranch, commit({ additions: [{ path, bytes: bytes('') }] })).status).toBe(422);
    }
  });

  it('refuses workflow files and pushes that a ruleset forbids', () => {
    const { stage, commit, onRepository } = writer();
    const workflow = { path: '.github/workflows/ci.yml', bytes: bytes('on: push') };
    expect(stage.refusal(createCommitOnBranch, commit({ additions: [workflow] }))).toMatchObject({ type: 'FORBIDDEN' });
    const tree = { ...onRepository, changes: [{ path: workflow.path, mode: '100644' as const, content: 'on: push' }] };
    expect(stage.refusal(createGitTree, tree).status).toBe(404);
    const { repositoryId } = stage;
    stage.apply(addRuleset, {
      repositoryId,
      ruleset: { branches: ['topic'], types: ['update'], bypassIds: [stage.actors.ben.accountId] },
    });
    expect(stage.refusal(createCommitOnBranch, commit()).message).toMatch(/^Repository rule violations found/);
    const anas = { actor: stage.actors.ana, repositoryId, branch: 'topic', files: new Map([['x', 'y']]) };
    expect(stage.refusal(pushFiles, anas).status).toBe(422);
    stage.push({ x: 'bypassed' });
    expect(stage.refusal(pushFiles, { ...anas, actor: stage.actors.eve }).status).toBe(403);
  });
});

describe('the git data API', () => {
  it('keeps modes, deletes files and moves refs by fast-forward only', () => {
    const { stage, onRepository } = writer();
    const head = stage.pull().head.sha;
    const baseTree = found(readGitCommit(stage.state().store, head)).tree;
    const blob = stage.apply(createGitBlob, { ...onRepository, bytes: bytes('#!/bin/sh\necho\n') });
    const changes = [
      { path: 'run.sh', mode: '100755' as const, sha: blob },
      { path: 'src/a.txt', mode: '100644' as const, sha: null },
    ];
    const tree = stage.apply(createGitTree, { ...onRepository, baseTree, changes });
    const commit = stage.apply(createGitCommit, { ...onRepository, message: 'm', tree, parents: [head] });
    expect(stage.pull().head.sha).toBe(head);
    const orphan = stage.apply(createGitCommit, { ...onRepository, message: 'm', tree, parents: [] });
    const ref = 'refs/heads/topic';
    expect(stage.refusal(updateGitRef, { ...onRepository, ref, sha: orphan }).message).toBe(
      'Update is not a fast forward',
    );
    stage.apply(updateGitRef, { ...onRepository, ref, sha: commit });
    expect([stage.mode('run.sh'), stage.mode('src/a.txt')]).toEqual(['100755', undefined]);
    expect(stage.refusal(createGitTree, { ...onRepository, baseTree: tree, changes: changes.slice(1) }).status).toBe(
      422,
    );
    expect(stage.refusal(createGitTree, { ...onRepository, baseTree: head, changes }).status).toBe(404);
    expect(stage.refusal(createGitCommit, { ...onRepository, message: 'm', tree: head, parents: [] }).status).toBe(422);
    expect(stage.refusal(createGitRef, { ...onRepository, ref, sha: commit }).message).toBe('Reference already exists');
    expect(stage.refusal(createGitRef, { ...onRepository, ref: 'topic', sha: commit }).status).toBe(422);
    const foreign = { ...onRepository, message: 'm', tree, parents: [], author: { name: 'Me', email: 'me@x.org' } };
    const unsigned = stage.apply(createGitCommit, foreign);
    expect(gitCommitPayload(stage.state(), stage.repository(), unsigned)).toMatchObject({
      verification: { verified: false },
    });
    stage.forget();
    stage.apply(updateGitRef, { ...onRepository, ref, sha: orphan, force: true });
    expect(stage.events[0]?.payload).toMatchObject({ forced: true, before: commit, after: orphan });
    stage.apply(deleteGitRef, { ...onRepository, ref });
    expect(stage.eventNames()).toEqual(['push', 'pull_request.synchronize', 'push', 'pull_request.closed']);
    expect(stage.problems).toEqual([]);
  });

  it('leaves older states unchanged and logs every write', () => {
    const { stage, commit } = writer();
    const before = stage.state();
    const head = stage.pull().head.sha;
    const sha = stage.apply(createCommitOnBranch, commit());
    expect(before.repositories.get(stage.repositoryId)?.pulls.get(stage.number)?.head.sha).toBe(head);
    const [moved, made] = listAuditEntries(stage.state().auditLog).toReversed();
    expect(moved).toMatchObject({
      action: 'ref-updated',
      ref: 'refs/heads/topic',
      before: head,
      after: sha,
      viaAppId: stage.app.id,
    });
    expect(made).toMatchObject({ action: 'commit-created', after: sha, actorId: stage.app.botId });
    expect(listAuditEntries(before.auditLog).length).toBe(stage.state().auditLog.length - 2);
  });

  it('exports repositories that pass git fsck', () => {
    const { stage, commit } = writer();
    const sha = stage.apply(createCommitOnBranch, commit());
    const directory = mkdtempSync(join(tmpdir(), 'fake-github-'));
    stage.export(directory);
    const git = (...parameters: string[]) =>
      execFileSync('git', ['-c', 'safe.directory=*', '-C', directory, ...parameters], {
        encoding: 'utf8',
        stdio: 'pipe',
      });
    expect(git('fsck', '--strict', '--full')).toBe('');
    expect(git('log', '-1', '--format=%H %cn', 'topic').trim()).toBe(`${sha} GitHub`);
    rmSync(directory, { recursive: true });
  });
});
