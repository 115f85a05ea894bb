import { describe, expect, it } from 'vitest';
import {
  describeKnownHidden,
  describeMisleading,
  describeMixedPath,
  findAddedHidden,
} from '../../../../src/core/edits/misleading-text.ts';
import { regionBetween } from '../../../../src/core/edits/region.ts';

function added(before: string, after: string): string | null {
  const region = regionBetween(before, after);
  const found = region === null ? null : findAddedHidden(region);
  return found === null ? null : `${found.codePoint.toString(16)} in ${found.line}`;
}

function diffOf(...rows: readonly string[]): string {
  const count = (sign: string) => rows.filter((row) => !row.startsWith(sign) && !row.startsWith('\\')).length;
  return `--- a/x\n+++ b/x\n@@ -1,${count('+')} +1,${count('-')} @@\n${rows.map((row) => `${row}\n`).join('')}`;
}

describe('characters that a change adds and nobody sees', () => {
  it.each([
    ['one more', 'a\nb\u200B\n', 'a\nb\u200B\u200Bc\n', '200b in 2'],
    ['another one', 'a\u200B\n', 'a\u200C\n', '200c in 1'],
    ['a lone CR', 'a\nb\n', 'a\nb\rc\n', 'd in 2'],
    ['a byte order mark within a file', 'a\nb\n', 'a\n\uFEFFb\n', 'feff in 2'],
    ['a direction control', 'a\n', 'a\u202E\n', '202e in 1'],
    ['a soft hyphen', 'a\n', 'a\u00ADb\n', 'ad in 1'],
  ])('%s is found (S35, X1)', (_, before, after, found) => {
    expect(added(before, after)).toBe(found);
  });

  it.each([
    ['as many as before', 'a\u200Bb\n', 'x\u200By\n'],
    ['fewer than before', 'a\u200Bb\n', 'ab\n'],
    ['CR LF', 'a\r\nb\r\n', 'a\r\nc\r\n'],
    ['a byte order mark at the start', 'a\n', '\uFEFFa\n'],
    ['emoji, joined words and right-to-left letters', 'a\n', 'a ⭐️ 🔒️ 👩‍👩‍👧 می‌خواهم क्‍ष שלום\n'],
  ])('%s is not (S35)', (_, before, after) => {
    expect(added(before, after)).toBeNull();
  });
});

describe('what a reader of a diff could overlook', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    [
      'a word of Latin and Cyrillic',
      ['-a', '+l\u043Egin()'],
      ['mix letters of several alphabets: l\u043Egin in line 1.'],
    ],
    ['another line end', ['-a', '+a\r'], ['Only white space differs: line 1.']],
    ['a removed wide line', [`-${'a'.repeat(201)}`, '+b'], ['More than 200 columns: line 1.']],
    ['wide letters', ['-a', `+${'\u6587'.repeat(101)}`], ['More than 200 columns: line 1.']],
    ['an undone removal', ['-a', '+a\u200Bb'], ['This adds characters that nobody sees: U+200B in line 1.']],
    ['a placeholder', ['-a', '+key = "[redacted]"'], ['in place of a secret: line 1.']],
    ['the like many times', Array.from({ length: 7 }, () => '+x\u0430'), ['and 2 more.']],
  ])('%s (X1, X15)', (_, rows, parts) => {
    const found = describeMisleading(diffOf(...rows));
    expect(found).toHaveLength(parts.length);
    for (const [index, part] of parts.entries()) expect(found[index]).toContain(part);
  });

  it.each([
    ...['isAdminㅣㅣisOwner', 'isAdmin丨丨isOwner', 'isAdminǀǀisOwner', 'ǃisAdmin', 'isАdmin', 'isＡdmin', 'is𝐀dmin'],
    ...['totaⅼ', 'ﬁle', 'totalーtax', 'adⅿin', 'ɑdmin', 'ㄧa', 'ſcope', 'aːb'],
  ])('R75: %s mixes ASCII with other letters (X1)', (word) => {
    expect(describeMisleading(diffOf('-a', `+if (${word}) {}`))).toEqual([
      `These words mix letters of several alphabets: ${word} in line 1.`,
    ]);
  });

  it.each([
    ['blanks', '-a b', '+ab'],
    ['a tab for blanks', '-    return x;', '+\treturn x;'],
    ['a blank at the end', '-a', '+a '],
    ['a no-break space', '-a b', '+a\u{A0}b'],
    ['an East Asian space', '-a b', '+a\u3000b'],
    ['blanks in an empty line', '-', '+  '],
  ])('R75: a row that differs only in %s (X15)', (_, ...rows) => {
    expect(describeMisleading(diffOf(...rows))).toEqual(['Only white space differs: line 1.']);
  });

  it.each([
    ['East Asian words beside Latin ones', '+调用foo方法, APIを呼ぶ, API를, React和Vue, foo一個bar, スーパーmarket'],
    ['words of one alphabet', '+привет мир, kadın, Ελλάδα, œuvre, Tiếng, Ångström, Hawaiʻi, № 5 ℃'],
    ['a wide line of the file', ` ${'a'.repeat(300)}`],
  ])('%s are ordinary (X1)', (_, row) => {
    expect(describeMisleading(diffOf('-a', row))).toEqual([]);
  });

  it('names what the file already has, at its own lines (X15)', () => {
    const diff = diffOf(' a\u200B', '-b\u200C', '+c\u200C');
    expect(describeMisleading(diff)).toEqual([]);
    expect(describeKnownHidden(diff)).toBe(
      'The file has characters that nobody sees: U+200B in line 1 and U+200C in line 2.',
    );
    expect(describeKnownHidden(diffOf('-a', '+b'))).toBeNull();
  });

  it('R34: a CR without LF is named as what it is, also at the end of a file', () => {
    const known = (end: string) => describeKnownHidden(diffOf(' a\rb', `-c${end}`, '\\ No newline at end of file'));
    expect(known('')).toBe('The file has characters that nobody sees: U+000D (CR) in line 1.');
    expect(known('\r')).toContain('U+000D (CR) in line 1 and U+000D (CR) in line 2.');
    expect(describeKnownHidden(diffOf(' a\r', '-c\r', '+d\r'))).toBeNull();
  });

  it('names the words of a path (X1)', () => {
    expect(describeMixedPath('src/l\u043Egin.ts')).toContain('l\u043Egin');
    expect(describeMixedPath('docs/équipe/архив/設定.md')).toBeNull();
  });
});
