import { structuredPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blobSha } from '../../src/change/blob.ts';
import { buildEdit } from '../../src/change/build-edit.ts';
import { buildWrite } from '../../src/change/build-write.ts';
import type { Change } from '../../src/change/change.ts';
import { changeDigest } from '../../src/change/digest.ts';
import { fenceFor } from '../../src/change/fence.ts';
import { MOST_FILE_BYTES } from '../../src/change/limits.ts';
import { splitLines } from '../../src/change/lines.ts';
import { type OwnText, ownPlace, ownText } from '../../src/change/own-text.ts';
import { type Placement, placeChange } from '../../src/change/placement.ts';
import { applyRegion } from '../../src/change/region.ts';
import { encodeText } from '../../src/change/text.ts';
import { readComment } from '../../src/command/read-comment.ts';
import { replaceLines } from '../../src/simulator/people/replace-lines.ts';
import { suggestionLines } from '../../src/simulator/people/suggestion-block.ts';
import { fileAfter } from './file-after.ts';
import { anyLine, anyText, changeOf, editOf, stored } from './samples.ts';

const IN_FILE: Placement = { kind: 'file', path: 'file.txt', why: 'not-in-diff' };

/** The change placed in a pull request that wrote the whole file, so that every line is in its diff. */
function placed(baseText: string, change: Change): Placement {
  const { hunks } = structuredPatch('a', 'b', '', baseText, '', '', { context: 3 });
  const patch = hunks
    .map(({ newStart, newLines, lines }) => [`@@ -0,0 +${newStart},${newLines} @@`, ...lines].join('\n'))
    .join('\n');
  return placeChange({ change, baseText, patch, inPullRequest: true });
}

/** A reply as a browser sends it: words around one suggestion block, lines ending in CRLF. */
function replyWith(lines: readonly string[]): string {
  const fence = fenceFor(lines.join('\n'));
  return ['Rather so:', '', `${fence}suggestion`, ...lines, fence, 'because'].join('\r\n');
}

/** The block's lines as the product reads them. */
function readLines(body: string): readonly string[] {
  const { utterance } = readComment(body, 'countersign');
  if (utterance.kind !== 'remark') throw new Error(`${utterance.kind} instead of a remark`);
  const [only, ...more] = utterance.suggestions;
  if (only === undefined || more.length > 0) throw new Error(`${utterance.suggestions.length} blocks`);
  return only;
}

type Own = Extract<OwnText, { kind: 'change' }>;

function ownOf(result: OwnText): Own {
  if (result.kind !== 'change') throw new Error(JSON.stringify(result));
  return result;
}

/** The file that a person's own lines make, from the bytes that would be committed. */
function committed(baseText: string | null, own: Own): string {
  const bytes = fileAfter(baseText === null ? null : encodeText(baseText), own.change);
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

function apply(baseText: string, change: Change, placement: Placement, ...lines: readonly string[]): string {
  return committed(baseText, ownOf(ownText({ change, proposed: change, placement, baseText, lines })));
}

function newFile(content: string): Change {
  return changeOf(buildWrite({ path: 'file.txt', sandbox: 'shop', file: null, content, seenBlob: null }));
}

describe('S48: a person’s own lines', () => {
  it('S11, S48: lines put above the first keep the byte order mark at the start, once', () => {
    const text = '\u{FEFF}a\nb\n';
    const change = editOf(text, '\u{FEFF}a\n', 'z\n\u{FEFF}a\n');
    const own = ownOf(ownText({ change, proposed: change, placement: IN_FILE, baseText: text, lines: ['mine'] }));
    expect(committed(text, own)).toBe('\u{FEFF}mine\na\nb\n');
  });

  it('stand where the suggestion block stood', () => {
    const change = editOf('a\nb\nc\n', 'b', 'B');
    expect(apply('a\nb\nc\n', change, placed('a\nb\nc\n', change), 'mine', '', 'too')).toBe('a\nmine\n\ntoo\nc\n');
  });

  it('replace the anchor line that the block of an insertion repeats', () => {
    const change = editOf('a\nb\n', 'a\n', 'a\nx\n');
    const placement = placed('a\nb\n', change);
    expect(ownPlace(change, placement)).toEqual({ index: 0, count: 1 });
    expect(apply('a\nb\n', change, placement, 'A', 'y')).toBe('A\ny\nb\n');
  });

  it('without a block replace the lines that the change replaces, and are inserted where it inserts', () => {
    expect(apply('a\nb\nc\n', editOf('a\nb\nc\n', 'b', 'B'), IN_FILE, 'x', 'y')).toBe('a\nx\ny\nc\n');
    expect(apply('a\nb\n', editOf('a\nb\n', 'a\n', 'a\nx\n'), IN_FILE, 'y')).toBe('a\ny\nb\n');
  });

  it('delete the lines where the block is empty', () => {
    expect(apply('a\nb\nc\n', editOf('a\nb\nc\n', 'b', 'B'), IN_FILE)).toBe('a\nc\n');
  });

  it('take the file’s endings, and those that stay the same keep their own', () => {
    const text = 'a\r\nb\nc\r\n';
    expect(apply(text, editOf(text, 'b\nc', 'B\nC'), IN_FILE, 'b', 'new', 'c')).toBe('a\r\nb\nnew\r\nc\r\n');
  });

  it('leave a last line without a newline so, and a byte order mark where it is', () => {
    expect(apply('a\nb', editOf('a\nb', 'b', 'B\n'), IN_FILE, 'x')).toBe('a\nx');
    expect(apply('\u{FEFF}a\nb\n', editOf('\u{FEFF}a\nb\n', 'a', 'z'), IN_FILE, 'y')).toBe('\u{FEFF}y\nb\n');
  });

  it('S11, S48, C8: a mark that nobody sees is the file’s at its start alone, and a letter of the line everywhere else', () => {
    const hidden = '\u{FEFF}b';
    const marked = '\u{FEFF}a\nb\n';
    expect(apply(marked, editOf(marked, 'a', 'z'), IN_FILE, 'y', hidden)).toBe(`\u{FEFF}y\n${hidden}\nb\n`);
    // Whoever takes it out of the proposed lines approves nothing.
    const change = editOf('a\nb\n', 'b', `${hidden}c`);
    expect(apply('a\nb\n', change, IN_FILE, 'bc')).toBe('a\nbc\n');
    const atTop = editOf('a\nb\n', 'a', '\u{FEFF}x');
    expect(apply('a\nb\n', atTop, IN_FILE, 'x')).toBe('x\nb\n');
    const below = newFile(`x\n${hidden}\n`);
    expect(
      committed(
        null,
        ownOf(ownText({ change: below, proposed: below, placement: IN_FILE, baseText: null, lines: ['x', 'b'] })),
      ),
    ).toBe('x\nb\n');
  });

  it('make all of a new file, which ends as the proposed one does', () => {
    const lines = ['# Mine', 'text'];
    for (const [content, expected] of [
      ['# New\n', '# Mine\ntext\n'],
      ['# New', '# Mine\ntext'],
      ['# New\r\n\r\n', '# Mine\r\ntext\r\n'],
    ] as const) {
      const change = newFile(content);
      const result = ownText({ change, proposed: change, placement: IN_FILE, baseText: null, lines });
      expect(committed(null, ownOf(result))).toBe(expected);
    }
  });
});

describe('S48, K11: exactly what was proposed', () => {
  it.each([
    ['in a block', placed('a\nb\n', editOf('a\nb\n', 'a\n', 'a\nx\n')), editOf('a\nb\n', 'a\n', 'a\nx\n'), ['a', 'x']],
    ['in a diff', IN_FILE, editOf('a\nb\n', 'a\n', 'a\nx\n'), ['x']],
    ['but for its final newline, which lines cannot say', IN_FILE, editOf('a\nb', 'b', 'B\n'), ['B']],
  ] as const)('is no change of their own, %s', (_, placement, change, lines) => {
    const baseText = change.region?.old[0] === 'b' ? 'a\nb' : 'a\nb\n';
    expect(ownText({ change, proposed: change, placement, baseText, lines })).toEqual({ kind: 'same' });
  });

  it('nor is a new file’s own text, with or without a newline at its end', () => {
    for (const content of ['# New\n', '# New']) {
      const change = newFile(content);
      const input = { change, proposed: change, placement: IN_FILE, baseText: null };
      const result = ownText({ ...input, lines: ['# New'] });
      expect(result).toEqual({ kind: 'same' });
    }
  });
});

describe('S48: a person’s own text in place of another person’s', () => {
  const proposed = editOf('a\nb\nc\n', 'b', 'B');
  const first = ownOf(ownText({ change: proposed, proposed, placement: IN_FILE, baseText: 'a\nb\nc\n', lines: ['x'] }));
  const input = { change: first.change, proposed, placement: IN_FILE, baseText: 'a\nb\nc\n' };

  it('tells its difference from what the model proposed', () => {
    const { difference } = ownOf(ownText({ ...input, lines: ['y'] }));
    expect(difference?.userEdits).toContain('\n-B\n+y\n');
  });

  it('differs from nothing where it is what the model proposed', () => {
    const { change, difference } = ownOf(ownText({ ...input, lines: ['B'] }));
    expect(difference).toBeNull();
    expect(change.digest).toBe(proposed.digest);
  });
});

describe('S48, S49: no change comes of', () => {
  const text = 'a\nb\na\n';
  const file = stored(text);
  const write = { path: 'file.txt', sandbox: 'shop', file, content: 'x\n', seenBlob: file.ref.blob };
  const everywhere = { path: 'file.txt', sandbox: 'shop', file, oldString: 'a', newString: 'A', replaceAll: true };

  it.each([
    ['several places', changeOf(buildEdit(everywhere)), ['x'], { why: 'no-place' }],
    ['a file that is written over', changeOf(buildWrite(write)), ['x'], { why: 'no-place' }],
    ['what the file already says', editOf(text, 'b', 'B'), ['b'], { why: 'unchanged' }],
    ['a NUL character', editOf(text, 'b', 'B'), ['b\0'], { why: 'not-text' }],
    ['half a surrogate pair', editOf(text, 'b', 'B'), ['\uD83D'], { why: 'not-text' }],
    ['more than people can be shown', editOf(text, 'b', 'B'), ['x'.repeat(240_000)], { why: 'diff-too-long' }],
  ] as const)('%s', (_, change, lines, refusal) => {
    expect(ownText({ change, proposed: change, placement: IN_FILE, baseText: text, lines })).toEqual({
      kind: 'refused',
      refusal,
    });
  });

  it('a file that would grow beyond the cap, with its size', () => {
    const large = `b\n${'x\n'.repeat(MOST_FILE_BYTES / 2 - 5)}`;
    const change = editOf(large, 'b', 'B');
    const input = { change, proposed: change, placement: IN_FILE, baseText: large };
    const result = ownText({ ...input, lines: ['y'.repeat(100)] });
    expect(result).toEqual({ kind: 'refused', refusal: { why: 'too-large', bytes: MOST_FILE_BYTES - 8 + 99 } });
  });
});

/** A file, a change of some of its lines, and the lines that a person writes instead. */
const exchange = fc
  .tuple(
    anyText,
    fc.nat({ max: 13 }),
    fc.integer({ min: 1, max: 3 }),
    fc.array(anyLine, { maxLength: 3 }),
    fc.array(anyLine, { maxLength: 4 }),
  )
  .map(([baseText, at, size, fresh, lines]) => {
    const sought = splitLines(baseText)
      .slice(at, at + size)
      .join('');
    const input = { path: 'file.txt', sandbox: 'shop', file: stored(baseText), oldString: sought, replaceAll: false };
    const built = sought === '' ? null : buildEdit({ ...input, newString: fresh.map((line) => `${line}\n`).join('') });
    return { baseText, change: built?.kind === 'change' ? built.change : null, lines };
  });

describe('S48, S92: whatever file and lines', () => {
  it('in place of a suggestion block, the bytes are those of GitHub’s own Commit suggestion', () => {
    let compared = 0;
    fc.assert(
      fc.property(exchange, ({ baseText, change, lines }) => {
        if (change === null) return;
        const placement = placed(baseText, change);
        if (placement.kind !== 'suggestion') return;
        // What GitHub leaves of a file that loses its last line where no newline ends it is not known.
        if (lines.length === 0 && !baseText.endsWith('\n')) return;
        const body = replyWith(lines);
        const replacement = {
          start: placement.startLine ?? placement.line,
          end: placement.line,
          lines: suggestionLines(body) ?? [],
        };
        const expected = replaceLines(encodeText(baseText), [replacement]);
        const result = ownText({ change, proposed: change, placement, baseText, lines: readLines(body) });
        compared += 1;
        if (result.kind === 'same') expect(change.result?.blob).toBe(blobSha(expected));
        else if (result.kind === 'refused') expect(blobSha(expected)).toBe(change.base?.blob);
        else expect(Buffer.from(fileAfter(encodeText(baseText), result.change))).toEqual(Buffer.from(expected));
      }),
      { numRuns: 3_000 },
    );
    expect(compared).toBeGreaterThan(300);
  });

  it('nothing outside the replaced lines changes, the digest is that of the region, and restoring it gives the proposal', () => {
    let made = 0;
    fc.assert(
      fc.property(exchange, ({ baseText, change, lines }) => {
        if (change === null || change.region === null) return;
        const place = ownPlace(change, IN_FILE);
        const result = ownText({
          change,
          proposed: change,
          placement: IN_FILE,
          baseText,
          lines: readLines(replyWith(lines)),
        });
        if (place === null || result.kind !== 'change') return;
        made += 1;
        const after = committed(baseText, result);
        const [base, fresh] = [baseText, after].map((text) => splitLines(text.replace(/^\u{FEFF}/u, '')));
        if (base === undefined || fresh === undefined) throw new Error('Two texts were split.');
        const below = base.slice(place.index + place.count);
        expect(after.startsWith('\u{FEFF}')).toBe(baseText.startsWith('\u{FEFF}'));
        expect(fresh.slice(0, place.index)).toEqual(base.slice(0, place.index));
        expect(fresh.slice(fresh.length - below.length)).toEqual(below);
        const mine = fresh
          .slice(place.index, fresh.length - below.length)
          .join('')
          .replaceAll('\r\n', '\n');
        const open = place.count > 0 && below.length === 0 && !baseText.endsWith('\n');
        expect(open && lines.length > 0 ? `${mine}\n` : mine).toBe(lines.map((line) => `${line}\n`).join(''));
        const { restoring } = result.difference ?? {};
        if (restoring === undefined) throw new Error('It differs from what was proposed.');
        const { path, base: from, result: to, region, digest } = result.change;
        if (from === null || to === null || region === null) throw new Error('An edit has both sides.');
        const body = { kind: 'region', region } as const;
        expect(changeDigest({ op: 'edit', path, fromPath: null, oldMode: from.mode, newMode: to.mode, body })).toBe(
          digest,
        );
        expect(applyRegion(after, restoring)).toBe(applyRegion(baseText, change.region));
      }),
      { numRuns: 2_000 },
    );
    expect(made).toBeGreaterThan(300);
  });
});
