import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measure } from '../../src/fidelity/fidelity.ts';
import type { Taken } from '../../src/fidelity/history.ts';
import { readOptions } from '../../src/fidelity/options.ts';
import { openPacks } from '../../src/fidelity/packs.ts';
import { openProgress } from '../../src/fidelity/progress.ts';
import type { Tally } from '../../src/fidelity/tally.ts';
import { trySample } from '../../src/fidelity/try-ways.ts';
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
  write('long.txt', long(1));
  write('returns.txt', 'one\ntwo\n');
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
  write('fences.md', 'a\n```suggestion\nb ``` b\n```\nc\n$& $1\n');
  write('größe.txt', 'Ünï\u{1F600}\u{202E}code\n');
  write('empty.txt', '');
  commit('Everything that is awkward');
  write('windows.txt', 'one\r\nthree\r\n');
  write('long.txt', long(2));
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

/** As many lines as take two comments, each of them another than with another number. */
function long(version: number): string {
  return Array.from({ length: 1_200 }, (_, index) => `version ${version} of line ${index}\n`).join('');
}

const QUIET = { at: () => {}, end: () => {} };

function tried(show: 'parent' | 'files', max: number | null = null, threads = 1): Promise<Tally> {
  return measure({ repo: local.path, range: 'HEAD', show, max, threads }, () => QUIET);
}

describe('the fidelity of what is committed', () => {
  it('S10, S34, S48, S72, S73, S92: every change of a history comes out as it is there, whoever makes it, and goes again', async () => {
    const { commits, changes, faults, kinds, rungs, verified, ways } = await tried('parent');
    expect(faults).toEqual([]);
    expect({ commits, changes }).toEqual({ commits: 4, changes: 21 });
    expect([...kinds.keys()].toSorted()).toEqual(['delete', 'edit', 'move', 'new file', 'write']);
    expect(rungs.get('suggestion')).toBeGreaterThan(0);
    expect(rungs.get('file')).toBeGreaterThan(0);
    expect(rungs.get('conversation')).toBeGreaterThan(0);
    expect(rungs.get('conversation, in numbered parts')).toBe(1);
    expect(ways.get('approve: exact')).toBeGreaterThan(10);
    expect(ways.get('button: exact')).toBe(rungs.get('suggestion'));
    expect(ways.get('own lines: exact')).toBeGreaterThan(0);
    const made = (by: RegExp): number => [...ways].reduce((sum, [way, times]) => (by.test(way) ? sum + times : sum), 0);
    expect(ways.get('undo: exact')).toBe(made(/^approve: (?:exact|endings)$/));
    // Two changes of two hunks each, every one of which is a commit.
    expect(ways.get('approve by hunk: exact')).toBe(2);
    expect(ways.get('undo by hunk: exact')).toBe(4);
    expect(verified).toBe(made(/^(?:approve|own lines|undo|undo by hunk): (?:exact|endings)$/) + 4);
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

  it('finds the same in two threads as in one', async () => {
    const [alone, shared] = [await tried('parent', 12), await tried('parent', 12, 2)];
    const counts = ({ kinds, rungs, ways, refusals, ...rest }: Tally) => ({
      ...rest,
      kinds: new Map([...kinds].toSorted()),
      rungs: new Map([...rungs].toSorted()),
      ways: new Map([...ways].toSorted()),
      refusals: new Map([...refusals].map(([why, one]) => [why, one.count] as const).toSorted()),
    });
    expect(alone.changes).toBe(12);
    expect(counts(shared)).toEqual(counts(alone));
  }, 120_000);

  it('stops after as many changes as it is told, and sums up in words', async () => {
    const tally = await tried('parent', 1);
    expect(tally.commits).toBe(1);
    expect(tallyText(tally, 2)).toMatch(/^1 file change of 1 commit in 2 s \(1 a second\)\nProposed as:\n/);
    expect(tallyText(tally, 2)).toMatch(/\nAll bytes are those of the commits\.\n$/);
    const faults = [{ commit: 'abc', path: 'a\u{1b}.txt', way: 'button', what: 'other bytes' }] as const;
    const text = tallyText({ ...tally, faults: [...faults] }, 2);
    expect(text).toContain('MISMATCH abc a\\u{1B}.txt by button: other bytes\n1 mismatch!\n');
  }, 60_000);

  it('says which change of several made the App stop, and tries the others', async () => {
    const after = { mode: '100644', bytes: Buffer.from('new\n') } as const;
    const unreadable = {
      mode: '100644',
      get bytes(): Buffer {
        throw new Error('nothing can be read');
      },
    } as const;
    const change = { commit: 'abc', path: 'good.txt', from: null, before: null, after };
    const scene = { base: new Map(), head: new Map([['other.txt', after]]) };
    const tally = await trySample({ changes: [change, { ...change, path: 'bad.txt', after: unreadable }], scene });
    expect(tally.changes).toBe(2);
    expect(tally.ways.get('approve: exact')).toBe(1);
    expect(tally.faults).toEqual([{ commit: 'abc', path: 'bad.txt', way: null, what: 'nothing can be read' }]);
    expect(tallyText(tally, 0)).toContain('STOPPED abc bad.txt: nothing can be read\n1 mismatch!\n');
  }, 60_000);
});

describe('the changes that share a pull request', () => {
  const taken = (path: string, from: string | null = null): Taken => {
    const version = { mode: '100644', bytes: Buffer.from(`${path}\n`) } as const;
    const held = [path, ...(from === null ? [] : [from])].map((one) => ({ path: one, base: version, head: version }));
    return { change: { commit: 'abc', path, from, before: version, after: version }, held, others: [] };
  };

  it('have nothing to do with each other, and are ten at most', () => {
    const packs = openPacks();
    const conflicting = [
      taken('a.txt'),
      taken('A.txt'),
      taken('docs'),
      taken('Docs/b.txt'),
      taken('c.txt', 'a.txt'),
      taken('docs/c.txt'),
    ];
    expect(conflicting.map((one) => packs.add(one))).toEqual(conflicting.map(() => null));
    const full = Array.from({ length: 8 }, (_, index) => packs.add(taken(`f${index}.txt`)));
    expect(full.slice(0, -1)).toEqual(Array.from({ length: 7 }, () => null));
    expect(
      full
        .at(-1)
        ?.map(({ change }) => change.path)
        .slice(0, 3),
    ).toEqual(['a.txt', 'docs', 'f0.txt']);
    const rest = packs.rest().map((pack) => pack.map(({ change }) => change.path));
    expect(rest).toEqual([
      ['A.txt', 'Docs/b.txt'],
      ['c.txt', 'docs/c.txt'],
    ]);
  });

  it('do not wait for others without an end', () => {
    const packs = openPacks();
    const given = Array.from({ length: 20 }, () => packs.add(taken('same.txt'))).filter((pack) => pack !== null);
    expect(given.length + packs.rest().length).toBe(20);
    expect(given.length).toBeGreaterThan(10);
  });
});

describe('its options and its progress', () => {
  it.each([
    [[], '--repo PATH is missing.'],
    [['--repo', '.', '--max', '0'], '--max needs a number.'],
    [['--repo', '.', '--threads', 'two'], '--threads needs a number.'],
    [['--repo', '.', '--show', 'all'], '--show is parent or files.'],
    [['--repo'], "Option '--repo <value>' argument missing."],
  ])('%j is refused in one line', (argv, problem) => {
    expect(readOptions(argv)).toEqual({ kind: 'problem', problem: `${problem} See npm run fidelity -- --help.` });
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
