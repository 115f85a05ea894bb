import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCommit } from '../../src/simulator/git/commit-object.ts';
import { gitCommitPayload } from '../../src/simulator/payloads/commit-payload.ts';
import { createCommitOnBranch } from '../../src/simulator/world/commit-on-branch.ts';
import { createBlob, createCommit, createTree } from '../../src/simulator/world/git-data.ts';
import { historyEntries } from '../../src/simulator/world/history.ts';
import { pushFiles } from '../../src/simulator/world/push-files.ts';
import { createRef, deleteRef, updateRef } from '../../src/simulator/world/refs.ts';
import { addRule } from '../../src/simulator/world/repositories.ts';
import { found, scene } from './scene.ts';

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
  it('B1: commits only on the head it was told, in GitHub’s words otherwise', () => {
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
    const made = found(gitCommitPayload(stage.world(), stage.repository(), sha));
    expect(made).toMatchObject({
      message: 'Count exactly\n\nTrailer: yes',
      author: { name: 'countersign[bot]', email: `${stage.app.botId}+countersign[bot]@users.noreply.github.com` },
      committer: { name: 'GitHub', email: 'noreply@github.com' },
      verification: { verified: true, reason: 'valid' },
      parents: [{ sha: before }],
    });
  });

  it('E5: loses the executable bit of a file it rewrites, and refuses to delete what is not there', () => {
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
    expect(stage.refusal(createTree, tree).status).toBe(404);
    const { repositoryId } = stage;
    stage.apply(addRule, {
      repositoryId,
      rule: { branches: ['topic'], types: ['update'], bypassIds: [stage.actors.ben.accountId] },
    });
    expect(stage.refusal(createCommitOnBranch, commit()).message).toMatch(/^Repository rule violations found/);
    const anas = { actor: stage.actors.ana, repositoryId, branch: 'topic', files: new Map([['x', 'y']]) };
    expect(stage.refusal(pushFiles, anas).status).toBe(422);
    stage.push({ x: 'bypassed' });
    expect(stage.refusal(pushFiles, { ...anas, actor: stage.actors.eve }).status).toBe(403);
  });
});

describe('the git data API', () => {
  it('keeps modes, deletes, moves fast forward only', () => {
    const { stage, onRepository } = writer();
    const head = stage.pull().head.sha;
    const baseTree = found(readCommit(stage.world().store, head)).tree;
    const blob = stage.apply(createBlob, { ...onRepository, bytes: bytes('#!/bin/sh\necho\n') });
    const changes = [
      { path: 'run.sh', mode: '100755' as const, sha: blob },
      { path: 'src/a.txt', mode: '100644' as const, sha: null },
    ];
    const tree = stage.apply(createTree, { ...onRepository, baseTree, changes });
    const commit = stage.apply(createCommit, { ...onRepository, message: 'm', tree, parents: [head] });
    expect(stage.pull().head.sha).toBe(head);
    const orphan = stage.apply(createCommit, { ...onRepository, message: 'm', tree, parents: [] });
    const ref = 'refs/heads/topic';
    expect(stage.refusal(updateRef, { ...onRepository, ref, sha: orphan }).message).toBe(
      'Update is not a fast forward',
    );
    stage.apply(updateRef, { ...onRepository, ref, sha: commit });
    expect([stage.mode('run.sh'), stage.mode('src/a.txt')]).toEqual(['100755', undefined]);
    expect(stage.refusal(createTree, { ...onRepository, baseTree: tree, changes: changes.slice(1) }).status).toBe(422);
    expect(stage.refusal(createTree, { ...onRepository, baseTree: head, changes }).status).toBe(404);
    expect(stage.refusal(createCommit, { ...onRepository, message: 'm', tree: head, parents: [] }).status).toBe(422);
    expect(stage.refusal(createRef, { ...onRepository, ref, sha: commit }).message).toBe('Reference already exists');
    expect(stage.refusal(createRef, { ...onRepository, ref: 'topic', sha: commit }).status).toBe(422);
    const foreign = { ...onRepository, message: 'm', tree, parents: [], author: { name: 'Me', email: 'me@x.org' } };
    const unsigned = stage.apply(createCommit, foreign);
    expect(gitCommitPayload(stage.world(), stage.repository(), unsigned)).toMatchObject({
      verification: { verified: false },
    });
    stage.forget();
    stage.apply(updateRef, { ...onRepository, ref, sha: orphan, force: true });
    expect(stage.events[0]?.payload).toMatchObject({ forced: true, before: commit, after: orphan });
    stage.apply(deleteRef, { ...onRepository, ref });
    expect(stage.eventNames()).toEqual(['push', 'pull_request.synchronize', 'push', 'pull_request.closed']);
    expect(stage.problems).toEqual([]);
  });

  it('leaves older states as they were, and remembers every write', () => {
    const { stage, commit } = writer();
    const before = stage.world();
    const head = stage.pull().head.sha;
    const sha = stage.apply(createCommitOnBranch, commit());
    expect(before.repositories.get(stage.repositoryId)?.pulls.get(stage.number)?.head.sha).toBe(head);
    const [moved, made] = historyEntries(stage.world().history).toReversed();
    expect(moved).toMatchObject({
      kind: 'ref-updated',
      ref: 'refs/heads/topic',
      before: head,
      after: sha,
      viaAppId: stage.app.id,
    });
    expect(made).toMatchObject({ kind: 'commit-created', after: sha, actorId: stage.app.botId });
    expect(historyEntries(before.history).length).toBe(stage.world().history.length - 2);
  });

  it('exports what it wrote so that git finds nothing to complain about', () => {
    const { stage, commit } = writer();
    const sha = stage.apply(createCommitOnBranch, commit());
    const directory = mkdtempSync(join(tmpdir(), 'simulated-world-'));
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
