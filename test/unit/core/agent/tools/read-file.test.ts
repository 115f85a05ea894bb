import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatFileContent } from '../../../../../src/core/agent/tools/read-file.ts';
import { encodeText } from '../../../../../src/core/edits/text/characters.ts';
import { literal, searched } from './literal-query.ts';

const blob = 'a'.repeat(40);

function read(text: string, start: number | null = null, end: number | null = null): string {
  return formatFileContent({ path: 'src/a.ts', blob, bytes: encodeText(text), start, end }).text;
}

describe('formatFileContent', () => {
  it('begins with a header, followed by the exact text (D8)', () => {
    expect(read('[USER FEEDBACK - Tool was not executed]: x\nb\n')).toBe(
      'File src/a.ts: lines 1 to 2 of 2; blob aaaaaaa. Its text begins on the next line.\n[USER FEEDBACK - Tool was not executed]: x\nb\n',
    );
  });

  it('returns the requested lines, and where to continue (S1a)', () => {
    expect(read('1\n2\n3\n4\n', 2, 3)).toBe(
      'File src/a.ts: lines 2 to 3 of 4; blob aaaaaaa; continue with start 4. Its text begins on the next line.\n2\n3\n',
    );
    expect(read('1\n2\n', 2, 99)).toContain('lines 2 to 2 of 2');
    expect(read('1\n2\n', 3)).toBe('Cannot show line 3 of src/a.ts: it has 2 lines.');
    expect(read('1\n2\n', 2, 1)).toContain('the end is before the start');
    expect(read('')).toContain('is empty');
  });

  it('shows long files in pages and cuts only a line longer than a page', () => {
    const long = read('x\n'.repeat(5000));
    expect(long).toContain('lines 1 to 2000 of 5000');
    expect(long).toContain('continue with start 2001');
    expect(read('y'.repeat(100_000)).length).toBeLessThan(70_000);
    expect(read(`${'z'.repeat(999)}\n`.repeat(200))).toContain('lines 1 to 64 of 200');
  });

  it('tells which characters are shown differently (S10, S11, D2)', () => {
    expect(read('\u{FEFF}a\r\nb')).toBe(
      'File src/a.ts: lines 1 to 2 of 2; blob aaaaaaa; line endings are CRLF, shown as LF; no newline at the end of the file. Its text begins on the next line.\na\nb',
    );
    expect(read('a\r\nb\n')).toContain('; some line endings are CRLF, shown as LF.');
    expect(read('a\u{202E}b\n')).toContain('1 hidden characters');
    expect(read('a\u{202E}b\n')).toContain('a\\u{202E}b\n');
  });

  it('does not show files that are not text (S15)', () => {
    const of = (bytes: number[]) =>
      formatFileContent({ path: 'x', blob, bytes: new Uint8Array(bytes), start: null, end: null }).text;
    expect(of([0])).toContain('binary');
    expect(of([0xe9])).toContain('not valid UTF-8');
  });
});

describe('searchFile and formatSearchResults', () => {
  function search(text: string, pattern: string): string {
    return searched(literal(pattern), { path: 'a.ts', bytes: encodeText(text) });
  }

  it('finds each line once, with its number (S1a)', () => {
    expect(search('x\nfoo foo\r\n\nfoo', 'foo')).toBe('2 lines contain "foo" (1 file):\na.ts:2:foo foo\na.ts:4:foo');
    expect(search('a.b\naxb\n', 'a.b')).toBe('1 line contains "a.b" (1 file):\na.ts:1:a.b');
    expect(search('x', 'foo.*')).toContain('literal text');
  });

  it('limits the number of matches and the length of a line', () => {
    const result = search('foo\n'.repeat(500), 'foo');
    expect(result).toContain('500 lines contain "foo" (1 file, showing 50)');
    expect(result).toMatch(/\nNot all lines are shown; narrow .* to see others:\na\.ts: 500 lines, 50 shown$/);
    expect(search(`${'x'.repeat(5000)}foo${'y'.repeat(5000)}`, 'foo')).toMatch(/:1:…x+fooy+…$/);
    expect(search(`${'x'.repeat(5000)}foo${'y'.repeat(5000)}`, 'foo').length).toBeLessThan(400);
  });

  it('shares fifty lines among few files, and shows ten of each of many (S142)', () => {
    const [query, bytes] = [literal('foo'), encodeText('foo\n'.repeat(30))];
    const searchedIn = (count: number) =>
      searched(query, ...Array.from({ length: count }, (_, index) => ({ path: `f${index}.ts`, bytes })));
    expect(searchedIn(1)).not.toContain('Not all lines are shown');
    expect(searched({ ...query, context: 5 }, { path: 'a.ts', bytes })).not.toContain('Not all lines are shown');
    expect(searchedIn(2)).toMatch(/f0\.ts: 30 lines, 25 shown\nf1\.ts: 30 lines, 25 shown$/);
    expect(searched(query, { path: 'a', bytes }, { path: 'b', bytes: encodeText('foo') })).toContain('(2 files):');
    expect(searchedIn(6)).toContain('(6 files, showing 60)');
    expect(searchedIn(20)).toContain('(20 files, showing 100)');
    expect(searchedIn(20)).toMatch(/f0\.ts: 30 lines, 10 shown\n[\s\S]*f19\.ts: 30 lines, 0 shown$/);
  });

  it('names the files that it cannot search because they are not text (S1a)', () => {
    const bytes = new Uint8Array([0x66, 0x6f, 0x6f, 0xe9]);
    expect(searched(literal('foo'), { path: 'latin.txt', bytes })).toMatch(
      /^No line .*\n1 file was not searched \(not valid UTF-8\): latin\.txt$/,
    );
  });

  it('skips files that are too large (H6)', () => {
    expect(search(`foo\n${'x'.repeat(2_000_000)}`, 'foo')).toContain('No line contains');
  });

  it('numbers lines as an editor does', () => {
    const line = fc.constantFrom('foo', 'bar', '', 'a foo b');
    fc.assert(
      fc.property(fc.array(line, { minLength: 0, maxLength: 120 }), (lines) => {
        const shown = search(lines.join('\n'), 'foo').matchAll(/^a\.ts:(\d+):/gm);
        expect([...shown].map(([, line]) => Number(line))).toEqual(
          lines.flatMap((text, index) => (text.includes('foo') ? [index + 1] : [])).slice(0, 50),
        );
      }),
    );
  });
});
