import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRepository, type LocalRepository } from '../../demo/local-pull.ts';

const MAIN = join(import.meta.dirname, '../../../lab/fidelity/main.ts');

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

/** More lines than one page can show. All of them differ between versions. */
function longText(version: number): string {
  return Array.from({ length: 1_200 }, (_, index) => `version ${version} of line ${index}\n`).join('');
}

describe('the fidelity of commits', () => {
  it('every change of a history is made exactly by every tool and the button, and undone (S10, S34, S73, S92)', () => {
    const report = execFileSync(process.execPath, [MAIN, '--repo', local.path], { encoding: 'utf8' });
    const count = (row: string): number => Number(new RegExp(`^ +(\\d+) {2}${row}`, 'm').exec(report)?.[1] ?? 0);
    expect(report).toMatch(/^24 file changes of 3 commits\n/);
    expect(report).toMatch(/\nAll bytes equal those of the commits\.\n$/);
    expect(count('Commit suggestion: exact')).toBeGreaterThan(10);
    expect(count('write_file: exact')).toBeGreaterThan(10);
    expect(count('edit_file: exact')).toBeGreaterThan(10);
    expect([count('delete_file: exact'), count('move_file: exact')]).toEqual([2, 1]);
    const made = [
      'write_file: exact',
      'edit_file: exact',
      'edit_file: endings',
      'delete_file: exact',
      'move_file: exact',
    ];
    expect(count('undo: exact')).toBe(made.map(count).reduce((sum, one) => sum + one));
    expect(count('not made: a file that is not text')).toBe(2);
    expect(count('not made: only the mode')).toBe(1);
  }, 120_000);
});
