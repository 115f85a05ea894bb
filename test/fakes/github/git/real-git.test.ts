import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findMergeBase } from '../../../../fakes/github/git/ancestry.ts';
import { computeFilePatch, diffGitTrees } from '../../../../fakes/github/git/diff.ts';
import { exportBareRepository } from '../../../../fakes/github/git/export.ts';
import { createObjectStore, type GitFileMode, putBlob, putGitCommit } from '../../../../fakes/github/git/objects.ts';
import { putCommitOfFiles, updateTree } from '../../../../fakes/github/git/trees.ts';

const author = { name: 'Ana', email: 'ana@example.com', seconds: 1_700_000_000 };

const file = (text: string, mode: GitFileMode = '100644') => ({ mode, bytes: Buffer.from(text) });

let directory = '';

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'fake-github-git-'));
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

function git(folder: string, ...parameters: string[]): string {
  return execFileSync('git', ['-c', 'safe.directory=*', '-C', folder, ...parameters], {
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

describe('objects and the git program', () => {
  it('passes fsck --strict and clones with modes, links, awkward names and a signed commit', () => {
    const store = createObjectStore();
    const files = new Map([
      ['a/b.txt', file('under a directory\n')],
      ['a-b', file('sorts between\n')],
      ['bin/run.sh', file('#!/bin/sh\n', '100755')],
      ['link', file('a.txt', '120000')],
      ['módulo/ünï.txt', file('no final newline')],
    ]);
    const first = putCommitOfFiles(store, { files, parents: [], author, message: 'First\n\nBody' });
    const tree = updateTree(store, commitTree(store, files), new Map([['a/b.txt', null]]));
    const signature = '-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----';
    const second = putGitCommit(store, {
      tree,
      parents: [first],
      author,
      committer: author,
      signature,
      message: 'Second',
    });
    const bare = join(directory, 'one.git');
    exportBareRepository(store, { refs: new Map([['refs/heads/main', second]]), defaultBranch: 'main' }, bare);

    expect(git(bare, 'fsck', '--strict', '--full')).toBe('');
    const clone = join(directory, 'clone');
    git(directory, 'clone', '-q', bare, clone);
    expect(git(clone, 'rev-parse', 'HEAD').trim()).toBe(second);
    expect(
      git(clone, 'ls-tree', '-r', '-z', 'HEAD')
        .split('\0')
        .filter(Boolean)
        .map((row) => row.slice(0, 6) + row.slice(row.indexOf('\t'))),
    ).toEqual(['100644\ta-b', '100755\tbin/run.sh', '120000\tlink', '100644\tmódulo/ünï.txt']);
    expect(git(clone, 'log', '--format=%s|%an|%ae|%at')).toContain('Second|Ana|ana@example.com|1700000000');
    expect(git(clone, 'status', '--porcelain')).toBe('');
  });

  it('computes git’s tree ids for any set of paths', () => {
    const segment = fc.constantFrom('a', 'a.b', 'a-b', 'ab', 'a0', 'B', 'é');
    const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
    const paths = fc
      .uniqueArray(path, { minLength: 1, maxLength: 8 })
      .filter((list) => !list.some((one) => list.some((other) => other.startsWith(`${one}/`))));
    let run = 0;
    fc.assert(
      fc.property(paths, (list) => {
        const folder = join(directory, `property-${run++}`);
        mkdirSync(folder);
        git(folder, 'init', '-q');
        for (const name of list) {
          mkdirSync(dirname(join(folder, name)), { recursive: true });
          writeFileSync(join(folder, name), name);
        }
        git(folder, 'add', '-A');
        const expected = git(folder, 'write-tree').trim();
        const store = createObjectStore();
        const entries = list.map((name) => [name, { mode: '100644', sha: putBlob(store, name) }] as const);
        expect(updateTree(store, undefined, new Map(entries))).toBe(expected);
        const half = Math.ceil(entries.length / 2);
        const base = updateTree(store, undefined, new Map(entries.slice(0, half)));
        expect(updateTree(store, base, new Map(entries.slice(half)))).toBe(expected);
      }),
      { numRuns: 10 },
    );
  });

  it('computes git’s hunks', () => {
    const line = fc.constantFrom('a', 'b', 'c', '', 'function x() {', '  return\r');
    const text = fc
      .tuple(fc.array(line, { maxLength: 30 }), fc.boolean())
      .map(([lines, end]) => lines.join('\n') + (end ? '\n' : ''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const store = createObjectStore();
        const patch = computeFilePatch(store, putBlob(store, before), putBlob(store, after));
        writeFileSync(join(directory, 'before'), before);
        writeFileSync(join(directory, 'patch.diff'), patchFile(patch.text));
        writeFileSync(join(directory, 'target'), before);
        expect(patch.text === null).toBe(before === after);
        if (patch.text === null) return;
        git(directory, 'apply', '--unsafe-paths', '--whitespace=nowarn', 'patch.diff');
        expect(execFileSync('cat', [join(directory, 'target')], { encoding: 'utf8' })).toBe(after);
      }),
      { numRuns: 20 },
    );
  });

  it('finds renames, with and without edits', () => {
    const store = createObjectStore();
    const long = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join('');
    const before = new Map([
      ['old.ts', file(long)],
      ['same.ts', file('same\n')],
      ['gone.ts', file('gone\n')],
    ]);
    const after = new Map([
      ['new.ts', file(`${long}more\n`)],
      ['moved/same.ts', file('same\n')],
      ['fresh.ts', file('fresh\n')],
    ]);
    const changes = diffGitTrees(store, commitTree(store, before), commitTree(store, after));
    expect(changes.map((change) => [change.status, change.path])).toEqual([
      ['added', 'fresh.ts'],
      ['removed', 'gone.ts'],
      ['renamed', 'moved/same.ts'],
      ['renamed', 'new.ts'],
    ]);
  });

  it('finds the merge base of diverged branches', () => {
    const store = createObjectStore();
    const commit = (message: string, parents: readonly string[]) =>
      putCommitOfFiles(store, { files: new Map([['f', file(message)]]), parents, author, message });
    const root = commit('root', []);
    const left = commit('left', [root]);
    const right = commit('right', [root]);
    const merge = commit('merge', [left, right]);
    expect(findMergeBase(store, left, right)).toBe(root);
    expect(findMergeBase(store, right, merge)).toBe(right);
    expect(findMergeBase(store, commit('other', []), merge)).toBeUndefined();
  });
});

function commitTree(
  store: ReturnType<typeof createObjectStore>,
  files: Parameters<typeof putCommitOfFiles>[1]['files'],
): string {
  const entries = [...files].map(([path, { mode, bytes }]) => [path, { mode, sha: putBlob(store, bytes) }] as const);
  return updateTree(store, undefined, new Map(entries));
}

function patchFile(text: string | null): string {
  return `--- a/target\n+++ b/target\n${text}\n`;
}
