import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measure } from '../../src/fidelity/fidelity.ts';
import { readOptions } from '../../src/fidelity/options.ts';
import { openProgress } from '../../src/fidelity/progress.ts';
import type { Tally } from '../../src/fidelity/tally.ts';
import { tallyText } from '../../src/fidelity/words.ts';
import { type LocalRepository, newRepository } from '../demo/local-pull.ts';

let local: LocalRepository;
beforeAll(() => {
  local = newRepository();
  const { git, write, commit } = local;
  const many = Array.from({ length: 60 }, (_, index) => `line ${index + 1}\n`);
  write('lines.txt', many.join(''));
  write('windows.txt', 'one\r\ntwo\r\nthree\r\n');
  write('mixed.txt', 'one\r\ntwo\nthree\r\nfour\n');
  write('open.txt', 'one\ntwo');
  write('marked.cs', '\u{FEFF}using System;\r\nclass A { }\r\n');
  write('same.txt', 'x\n\nx\n\nx\n');
  write('fences.md', 'a\n```suggestion\nb\n```\nc\n');
  write('picture.bin', Uint8Array.from([0, 1, 2]));
  write('latin.txt', Uint8Array.from([0x66, 0xfc, 0x72, 0x0a]));
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
  write('fences.md', 'a\n```suggestion\nb ``` b\n```\nc\n$& $1\n');
  write('größe.txt', 'Ünï\u{1F600}\u{202E}code\n');
  write('empty.txt', '');
  commit('Everything that is awkward');
  write('windows.txt', 'one\r\nthree\r\n');
  write('open.txt', 'one\nzwei\n');
  write('empty.txt', 'no more');
  write('mixed.txt', 'one\ntwo\nthree and a half\nfour\n');
  write('picture.bin', Uint8Array.from([0, 1, 3]));
  write('latin.txt', Uint8Array.from([0x66, 0xe4, 0x72, 0x0a]));
  rmSync(join(local.path, 'same.txt'));
  mkdirSync(join(local.path, 'docs'));
  git('mv', 'fences.md', 'docs/fences.md');
  git('update-index', '--chmod=+x', 'lines.txt');
  git('add', '.');
  git('update-index', '--chmod=+x', 'lines.txt');
  git('commit', '-qm', 'Delete, move, convert, make it run');
}, 60_000);
afterAll(() => local.remove());

const QUIET = { at: () => {}, end: () => {} };

function tried(show: 'parent' | 'files', max: number | null = null): Promise<Tally> {
  return measure({ repo: local.path, range: 'HEAD', show, max }, () => QUIET);
}

describe('the fidelity of what is committed', () => {
  it('S10, S34, S48, S73, S92: every change of a history comes out as it is there, whoever makes it', async () => {
    const { commits, changes, faults, rungs, verified, ways } = await tried('parent');
    expect(faults).toEqual([]);
    expect({ commits, changes }).toEqual({ commits: 4, changes: 18 });
    expect(rungs.get('suggestion')).toBeGreaterThan(0);
    expect(rungs.get('file')).toBeGreaterThan(0);
    expect(rungs.get('conversation')).toBeGreaterThan(0);
    expect(ways.get('approve: exact')).toBeGreaterThan(10);
    expect(ways.get('button: exact')).toBe(rungs.get('suggestion'));
    expect(ways.get('own lines: exact')).toBeGreaterThan(0);
    const made = [...ways].filter(([way]) => /^(?:approve|own lines): (?:exact|endings)$/.test(way));
    expect(verified).toBe(made.reduce((sum, [, times]) => sum + times, 0));
    expect([...ways.keys()].filter((way) => way.endsWith('mismatch'))).toEqual([]);
  }, 120_000);

  it('S33, S34: so it does where the pull request shows all lines, with more suggestion blocks', async () => {
    const { faults, rungs, ways, refusals } = await tried('files');
    expect(faults).toEqual([]);
    expect(rungs.get('suggestion')).toBeGreaterThan(2);
    expect(ways.get('button: exact')).toBe(rungs.get('suggestion'));
    expect([...refusals.keys()]).toContain('a file that is no text');
    expect([...refusals.keys()]).toContain('a mode alone');
  }, 120_000);

  it('stops after as many changes as it is told, and sums up in words', async () => {
    const tally = await tried('parent', 1);
    expect(tally.commits).toBe(1);
    expect(tallyText(tally, 2)).toMatch(/^\d+ file changes of 1 commit in 2 s \(\d+ a second\)\nShown as:\n/);
    expect(tallyText(tally, 2)).toMatch(/\nAll bytes are those of the commits\.\n$/);
    const faults = [{ commit: 'abc', path: 'a\u{1b}.txt', way: 'button', what: 'other bytes' }] as const;
    const text = tallyText({ ...tally, faults: [...faults] }, 2);
    expect(text).toContain('MISMATCH abc a\\u{1B}.txt by button: other bytes\n1 mismatch!\n');
  }, 60_000);
});

describe('its options and its progress', () => {
  it.each([
    [[], '--repo PATH is missing.'],
    [['--repo', '.', '--max', '0'], '--max needs a number.'],
    [['--repo', '.', '--show', 'all'], '--show is parent or files.'],
    [['--repo'], "Option '--repo <value>' argument missing."],
  ])('%j is refused in one line', (argv, problem) => {
    expect(readOptions(argv)).toEqual({ kind: 'problem', problem });
  });

  it('draws a bar on a terminal and says a line every few seconds elsewhere', () => {
    const drawn = (isTTY: boolean, everyMs: number): string => {
      let [text, now] = ['', 0];
      const stream = { isTTY, write: (more: string) => (text += more) };
      const progress = openProgress(stream, 4, () => now);
      for (let done = 1; done <= 4; done += 1) {
        now += everyMs;
        progress.at(done, done * 10);
      }
      progress.end();
      return text;
    };
    expect(drawn(false, 1_000)).toBe('');
    expect(drawn(false, 2_000)).toBe('3 of 4 commits, 30 file changes\n');
    expect(drawn(true, 100)).toContain('\r[#######################.......] 3 of 4 commits, 30 file changes\r');
    expect(drawn(true, 100).endsWith('\r\u{1b}[K')).toBe(true);
  });
});
