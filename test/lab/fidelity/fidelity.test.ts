import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measureFidelity } from '../../../lab/fidelity/fidelity.ts';
import { createRepository, type LocalRepository } from '../../demo/local-pull.ts';

let local: LocalRepository;

beforeAll(() => {
  local = createRepository();
  const { git, write, commit } = local;
  const many = Array.from({ length: 60 }, (_, index) => `line ${index + 1}\n`);
  write('lines.txt', many.join(''));
  write('windows.txt', 'one\r\ntwo\r\nthree\r\n');
  write('mixed.txt', 'one\r\ntwo\nthree\r\nfour\n');
  write('open.txt', 'one\ntwo');
  write('marked.cs', '\u{FEFF}using System;\r\nclass A { }\r\n');
  write('long.txt', longText(1));
  write('returns.txt', 'one\ntwo\n');
  write('again.txt', 'one\ntwo\nthree\n');
  write('same.txt', 'x\n\nx\n\nx\n');
  write('fences.md', 'a\n```suggestion\nb\n```\nc\n');
  write('picture.bin', Uint8Array.from([0, 1, 2]));
  write('latin.txt', Uint8Array.from([0x66, 0xfc, 0x72, 0x0a]));
  write('gone.bin', Uint8Array.from([0, 0xff]));
  git('add', '.');
  git('update-index', '--chmod=+x', 'gone.bin');
  commit('Begin');
  write('lines.txt', many.with(2, 'line three\n').join(''));
  commit('One line');
  const twice = many.with(2, 'line three\n').with(29, 'line thirty\n').with(55, '');
  write('lines.txt', twice.join(''));
  write('windows.txt', 'one\r\nzwei\r\nzweieinhalb\r\nthree\r\n');
  write('mixed.txt', 'one\r\ntwo\nthree and a half\r\nfour\n');
  write('open.txt', 'one\nzwei');
  write('marked.cs', '\u{FEFF}using System.Text;\r\nclass A { }\r\n');
  write('same.txt', 'x\n\nx\n\nx\n\nx\n');
  write('returns.txt', 'one\nt\rwo\n');
  write('again.txt', 'one\nzwei\nthree\n');
  write('fences.md', 'a\n```suggestion\nb ``` b\n```\nc\n$& $1\n');
  write('größe.txt', 'Ünï\u{1F600}\u{202E}code\n');
  write('empty.txt', '');
  commit('Everything that is awkward');
  write('windows.txt', 'one\r\nthree\r\n');
  write('again.txt', 'one\ndeux\nthree\n');
  write('long.txt', longText(2));
  write('open.txt', 'one\nzwei\n\n');
  write('empty.txt', 'no more');
  write('mixed.txt', 'one\ntwo\nthree and a half\nfour\n');
  write('picture.bin', Uint8Array.from([0, 1, 3]));
  write('latin.txt', Uint8Array.from([0x66, 0xe4, 0x72, 0x0a]));
  rmSync(join(local.path, 'same.txt'));
  rmSync(join(local.path, 'gone.bin'));
  mkdirSync(join(local.path, 'docs'));
  git('mv', 'fences.md', 'docs/fences.md');
  git('update-index', '--chmod=+x', 'lines.txt');
  git('add', '.');
  git('update-index', '--chmod=+x', 'lines.txt');
  git('commit', '-qm', 'Delete, move, convert, make it run');
}, 60_000);

afterAll(() => local.remove());

/** Enough lines for two comments. All of them differ between versions. */
function longText(version: number): string {
  return Array.from({ length: 1_200 }, (_, index) => `version ${version} of line ${index}\n`).join('');
}

describe('the fidelity of commits', () => {
  it('every change of a history is committed exactly by every method, and undone (S10, S34, S48, S72, S73, S92)', async () => {
    const { commits, changes, mismatches, refusals, verified, results } = await measureFidelity({
      ...{ repo: local.path, range: 'HEAD', maxChanges: null, threads: 1 },
    });
    expect(mismatches).toEqual([]);
    expect({ commits, changes }).toEqual({ commits: 4, changes: 23 });
    expect(results.get('approve: exact')).toBeGreaterThan(10);
    expect(results.get('button: exact')).toBeGreaterThan(0);
    expect(results.get('user edit: exact')).toBeGreaterThan(0);
    expect([...refusals.keys()]).toContain('a file that is not text');
    expect([...refusals.keys()]).toContain('only the mode');
    const countResults = (pattern: RegExp): number =>
      [...results].reduce((sum, [name, count]) => (pattern.test(name) ? sum + count : sum), 0);
    expect(results.get('undo: exact')).toBe(countResults(/^approve: (?:exact|endings)$/));
    // Two changes of two hunks each; every hunk is a commit.
    expect(results.get('approve by hunk: exact')).toBe(2);
    expect(results.get('undo by hunk: exact')).toBe(4);
    expect(verified).toBe(countResults(/^(?:approve|user edit|undo|undo by hunk): (?:exact|endings)$/) + 4);
    expect([...results.keys()].filter((name) => name.endsWith('mismatch'))).toEqual([]);
  }, 120_000);
});
