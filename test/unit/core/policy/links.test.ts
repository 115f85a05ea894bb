import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findLinkedPaths, type Link } from '../../../../src/core/policy/links.ts';
import { cpuSeconds } from '../../../support/cpu-time.ts';

const linksOf = (links: Readonly<Record<string, string>>): readonly Link[] =>
  Object.entries(links).map(([path, target]) => ({ path, target }));

describe('the paths at which links show a file', () => {
  it.each<[string, Readonly<Record<string, string>>, string, readonly string[]]>([
    ['a link to it', { 'CLAUDE.md': 'docs/x.md' }, 'docs/x.md', ['CLAUDE.md']],
    ['a link in another directory', { 'a/b/CLAUDE.md': '../../docs/x.md' }, 'docs/x.md', ['a/b/CLAUDE.md']],
    ['an unusual spelling', { 'CLAUDE.md': './docs//./y/../x.md' }, 'docs/x.md', ['CLAUDE.md']],
    ['a link to its directory', { '.claude': 'agents/' }, 'agents/skills/x.md', ['.claude/skills/x.md']],
    ['a link to the root', { 'sub/all': '..' }, 'x.md', ['sub/all/x.md']],
    ['a chain', { 'CLAUDE.md': 'a.md', 'a.md': 'docs/x.md' }, 'docs/x.md', ['a.md', 'CLAUDE.md']],
    [
      'a link in a linked directory',
      { '.claude': 'conf', 'conf/skills': '../skills' },
      'skills/x.md',
      ['conf/skills/x.md', '.claude/skills/x.md'],
    ],
    ['a target through a link', { 'CLAUDE.md': 'd/x.md', d: 'docs' }, 'docs/x.md', ['d/x.md', 'CLAUDE.md']],
    ['another case', { 'CLAUDE.md': 'Docs/X.md' }, 'docs/x.md', ['CLAUDE.md']],
    ['a link that is part of a circle', { a: 'b', b: 'a' }, 'a/x', ['b/x']],
  ])('are found by %s', (_, links, path, found) => {
    expect(findLinkedPaths([path], linksOf(links))).toEqual(found);
  });

  it('are none of other links', () => {
    const links = linksOf({ a: '/etc/x.md', b: '../../x.md', c: 'docs/x', d: 'docs/x.md/y', e: 'docs/x.mdx' });
    expect(findLinkedPaths(['docs/x.md'], links)).toEqual([]);
    expect(findLinkedPaths(['docs/x.md'], [])).toEqual([]);
  });

  it('cannot be told where a target leaves a linked directory', () => {
    expect(findLinkedPaths(['x.md'], linksOf({ d: 'docs/deep', 'CLAUDE.md': 'd/../x.md' }))).toBe('unknown');
  });

  it('end, also where links lead to directories above themselves', () => {
    expect(findLinkedPaths(['x'], linksOf({ all: '.', 'a/b': '..' }))).toEqual([
      ...['all/x', 'a/b/x', 'a/b/all/x', 'all/a/b/x'],
    ]);
    const links = linksOf(Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`l${n}`, '.'])));
    expect(cpuSeconds(() => expect(findLinkedPaths(['x'], links)).toBe('unknown'))).toBeLessThan(1);
  });

  it('hold for every path below a target, in any order of the links', () => {
    const name = fc.stringMatching(/^[a-c]{1,2}$/);
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 3 }), fc.array(name, { maxLength: 2 }), (target, below) => {
        const path = [...target, ...below].join('/');
        const links = linksOf({ first: 'second', second: target.join('/') });
        const expected = ['second', 'first'].map((link) => [link, ...below].join('/'));
        for (const ordered of [links, links.toReversed()]) expect(findLinkedPaths([path], ordered)).toEqual(expected);
      }),
    );
  });
});
