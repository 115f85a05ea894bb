import { describe, expect, it } from 'vitest';
import { findOwners, MAX_CODEOWNERS_BYTES } from '../../../../src/core/policy/code-owners.ts';

function ownersOf(file: string, path: string): readonly string[] {
  const owners = findOwners({ bytes: Buffer.from(file), paths: [path] });
  return Object.hasOwn(owners, path) ? (owners[path] ?? []) : [];
}

describe('the owners of a path (A11)', () => {
  it.each([
    ['* @ana', 'a/b/c.ts', ['@ana']],
    ['*.js @ana', 'a/b/c.js', ['@ana']],
    ['*.js @ana', 'a/b/c.ts', []],
    ['/build/ @ana', 'build/a/b', ['@ana']],
    ['/build/ @ana', 'x/build/a', []],
    ['apps/ @ana', 'x/apps/a/b', ['@ana']],
    ['docs/* @ana', 'docs/a.md', ['@ana']],
    ['docs/* @ana', 'docs/deep/a.md', []],
    ['docs/* @ana', 'x/docs/a.md', []],
    ['/* @ana', 'a.md', ['@ana']],
    ['/* @ana', 'docs/a.md', []],
    ['**/x/* @ana', 'a/x/b/x/c', ['@ana']],
    ['**/x/* @ana', 'a/x/b/c', []],
    ['**/logs @ana', 'deep/logs/a', ['@ana']],
    ['/a/**/b @ana', 'a/x/y/b/c', ['@ana']],
    ['/src @ana', 'src', ['@ana']],
    ['/Src @ana', 'src/a.ts', []],
    ['src/a\\ b.ts @ana', 'src/a b.ts', ['@ana']],
    ['/src/?.ts @ana', 'src/a.ts', ['@ana']],
    ['src/$&.ts @ana', 'src/$&.ts', ['@ana']],
    ['src/{a,b}.ts @ana', 'src/a.ts', []],
    ['* @ana @acme/pay ben@example.com', 'a', ['@ana', '@acme/pay', 'ben@example.com']],
    ['* @ana_corp', 'a', ['@ana_corp']],
    ['* @ana\n/src/ @ben', 'src/a', ['@ben']],
    ['/src/ @ben\n* @ana', 'src/a', ['@ana']],
    ['* @ana\n/src/gen/', 'src/gen/a', []],
    ['* @ana\n/src/ ben', 'src/a', ['@ana']],
    ['__proto__ @ana', '__proto__', ['@ana']],
    ['* @ana', '__proto__', ['@ana']],
    ['', 'constructor', []],
  ])('%j: %s is owned by %j', (file, path, owners) => {
    expect(ownersOf(file, path)).toEqual(owners);
  });

  it.each([
    ['a byte order mark', '\uFEFF* @ana\n'],
    ['CRLF', '# owners\r\n* @ana\r\n'],
    ['tabs', '*\t@ana\t\t\n'],
    ['spaces before the pattern', '   * @ana'],
    ['an inline comment', '* @ana # and @ben'],
    ['a comment next to a name', '* @ana #@ben'],
    ['no line end', '* @ana'],
  ])('%s changes nothing', (_what, file) => {
    expect(ownersOf(file, 'src/a.ts')).toEqual(['@ana']);
  });

  it.each([
    ['a negation', '!src/ @ana'],
    ['a range', 'src/[ab].ts @ana'],
    ['an escaped number sign', '\\#src @ana'],
    ['three stars', '***/a @ana'],
    ['a name without @', '* ana'],
    ['half an address', '* ana@'],
    ['a team without a name', '* @acme/'],
    ['HTML', '* @ana<script>'],
    ['a mention in an address', '* `x`@ana'],
    ['a trailing backslash', 'src\\'],
  ])('a line with %s is skipped, as GitHub does', (_what, line) => {
    expect(ownersOf(`* @ben\n${line}\n`, 'src/a')).toEqual(['@ben']);
  });

  it('a file of 3 MB with an invalid line in two takes no more than one look at each', () => {
    const line = '/packages/service-with-a-long-name/src/ @acme/services\n/packages/[a-z]/ nobody\n';
    const count = Math.floor(MAX_CODEOWNERS_BYTES / line.length);
    const bytes = Buffer.from(`/src/pay/ @ana\n${line.repeat(count)}`);
    expect(findOwners({ bytes, paths: ['src/pay/a.ts', 'other'] })).toEqual({ 'src/pay/a.ts': ['@ana'] });
  });

  it('bytes that are no UTF-8 spoil only their line', () => {
    const bytes = Buffer.concat([Buffer.from('* @ana\n/a'), Buffer.from([0xff, 0xfe]), Buffer.from(' @ben\n')]);
    expect(findOwners({ bytes, paths: ['src/a'] })).toEqual({ 'src/a': ['@ana'] });
  });
});
