import { structuredPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSuggestionBlock, replaceLines } from '../../../../../fakes/people/commit-suggestion.ts';
import { COMMAND_GRAMMAR } from '../../../../../src/core/commands/all-commands.ts';
import { parseComment } from '../../../../../src/core/comments/parse-comment.ts';
import { buildEdit } from '../../../../../src/core/edits/build/build-edit.ts';
import { buildWrite } from '../../../../../src/core/edits/build/build-write.ts';
import { applyUserEdit, type UserEditResult, userEditRange } from '../../../../../src/core/edits/build/user-edit.ts';
import type { FileChange } from '../../../../../src/core/edits/change.ts';
import { changeDigest } from '../../../../../src/core/edits/digest.ts';
import { choosePlacement, type Placement } from '../../../../../src/core/edits/placement.ts';
import { applyRegion } from '../../../../../src/core/edits/region.ts';
import { blobSha, encodeText } from '../../../../../src/core/edits/text/characters.ts';
import { MAX_FILE_BYTES } from '../../../../../src/core/edits/text/limits.ts';
import { splitLines } from '../../../../../src/core/edits/text/lines.ts';
import { fenceFor } from '../../../../../src/core/edits/text/unicode.ts';
import { fileAfter } from '../file-after.ts';
import { anyLine, anyText, changeOf, editOf, stored } from '../samples.ts';

const IN_FILE: Placement = { kind: 'file', path: 'file.txt', reason: 'not-in-diff' };

/** Places a change in a pull request that created the file, so that its diff has every line. */
function placed(baseText: string, change: FileChange): Placement {
  const { hunks } = structuredPatch('a', 'b', '', baseText, '', '', { context: 3 });
  const patch = hunks
    .map(({ newStart, newLines, lines }) => [`@@ -0,0 +${newStart},${newLines} @@`, ...lines].join('\n'))
    .join('\n');
  return choosePlacement({ change, baseText, patch, inPullRequest: true });
}

/** A reply as browsers send it: text around a suggestion block, with CRLF. */
function replyWith(lines: readonly string[]): string {
  const fence = fenceFor(lines.join('\n'));
  return ['Rather so:', '', `${fence}suggestion`, ...lines, fence, 'because'].join('\r\n');
}

/** The lines of the block as we parse them. */
function readLines(body: string): readonly string[] {
  const { parsed } = parseComment(COMMAND_GRAMMAR, body, 'countersign');
  if (parsed.kind !== 'text') throw new Error(`${parsed.kind} instead of a remark`);
  const [only, ...more] = parsed.suggestions;
  if (only === undefined || more.length > 0) throw new Error(`${parsed.suggestions.length} blocks`);
  return only;
}

type AcceptedEdit = Extract<UserEditResult, { kind: 'change' }>;

function acceptedEdit(result: UserEditResult): AcceptedEdit {
  if (result.kind !== 'change') throw new Error(JSON.stringify(result));
  return result;
}

/** The file after the user's edit, from the bytes to commit. */
function committed(baseText: string | null, userEdit: AcceptedEdit): string {
  const bytes = fileAfter(baseText === null ? null : encodeText(baseText), userEdit.change);
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

function apply(baseText: string, change: FileChange, placement: Placement, ...lines: readonly string[]): string {
  return committed(baseText, acceptedEdit(applyUserEdit({ change, proposed: change, placement, baseText, lines })));
}

function newFile(content: string): FileChange {
  return changeOf(buildWrite({ path: 'file.txt', repositoryName: 'shop', file: null, content, lastReadBlob: null }));
}

describe('a user’s lines (S48)', () => {
  it('lines inserted at the top go behind the byte order mark (S11, S48)', () => {
    const text = '\u{FEFF}a\nb\n';
    const change = editOf(text, '\u{FEFF}a\n', 'z\n\u{FEFF}a\n');
    const edit = acceptedEdit(
      applyUserEdit({ change, proposed: change, placement: IN_FILE, baseText: text, lines: ['mine'] }),
    );
    expect(committed(text, edit)).toBe('\u{FEFF}mine\na\nb\n');
  });

  it('replace the lines of the suggestion block', () => {
    const change = editOf('a\nb\nc\n', 'b', 'B');
    expect(apply('a\nb\nc\n', change, placed('a\nb\nc\n', change), 'mine', '', 'too')).toBe('a\nmine\n\ntoo\nc\n');
  });

  it('keep the anchor line that the block of an insertion repeats, or else the person is asked (S161)', () => {
    const change = editOf('a\nb\n', 'a\n', 'a\nx\n');
    const placement = placed('a\nb\n', change);
    expect(userEditRange(change, placement)).toEqual({ index: 0, count: 1 });
    expect(apply('a\nb\n', change, placement, 'z', 'a', 'y')).toBe('z\na\ny\nb\n');
    const input = { change, proposed: change, placement, baseText: 'a\nb\n' };
    for (const lines of [['A', 'y'], ['y'], [' a', 'y'], []])
      expect(applyUserEdit({ ...input, lines })).toEqual({
        kind: 'refused',
        refusal: { reason: 'anchor-missing', line: 1, text: 'a' },
      });
  });

  it('keep the anchor line also where the inserted lines have one like it (S161)', () => {
    const text = 'a {\n}\nz {\n}\n';
    const change = editOf(text, 'a {\n}\n', 'a {\n}\nb {\n}\n');
    const input = { change, proposed: change, placement: placed(text, change), baseText: text };
    for (const lines of [
      ['b {', '  mine', '}'],
      ['mine', '}'],
    ])
      expect(applyUserEdit({ ...input, lines })).toMatchObject({
        refusal: { reason: 'anchor-missing', line: 2, text: '}' },
      });
    expect(apply(text, change, input.placement, '}', 'b {', '  mine', '}')).toBe('a {\n}\nb {\n  mine\n}\nz {\n}\n');
    expect(apply(text, change, input.placement, '}', 'mine')).toBe('a {\n}\nmine\nz {\n}\n');
    expect(apply(text, change, input.placement, 'mine', '}', 'b {', '}')).toBe('a {\nmine\n}\nb {\n}\nz {\n}\n');
  });

  it('keep the line below an insertion at the top in the same way (S161)', () => {
    const change = editOf('a\nb\n', 'a\n', 'x\na\n');
    const input = { change, proposed: change, placement: placed('a\nb\n', change), baseText: 'a\nb\n' };
    expect(apply('a\nb\n', change, input.placement, 'y', 'a')).toBe('y\na\nb\n');
    expect(applyUserEdit({ ...input, lines: ['y'] })).toMatchObject({ refusal: { line: 1, text: 'a' } });
    const twice = editOf('a\nb\n', 'a\n', 'x\na\ny\na\n');
    const again = { change: twice, proposed: twice, placement: placed('a\nb\n', twice), baseText: 'a\nb\n' };
    expect(applyUserEdit({ ...again, lines: ['a', 'mine'] })).toMatchObject({ refusal: { line: 1, text: 'a' } });
    expect(apply('a\nb\n', twice, again.placement, 'mine', 'a')).toBe('mine\na\nb\n');
  });

  it('without a block replace the same lines as the change, or are inserted at the same place', () => {
    expect(apply('a\nb\nc\n', editOf('a\nb\nc\n', 'b', 'B'), IN_FILE, 'x', 'y')).toBe('a\nx\ny\nc\n');
    expect(apply('a\nb\n', editOf('a\nb\n', 'a\n', 'a\nx\n'), IN_FILE, 'y')).toBe('a\ny\nb\n');
  });

  it('delete the lines if the block is empty', () => {
    expect(apply('a\nb\nc\n', editOf('a\nb\nc\n', 'b', 'B'), IN_FILE)).toBe('a\nc\n');
  });

  it('get the line endings of the file, and unchanged lines keep theirs', () => {
    const text = 'a\r\nb\nc\r\n';
    expect(apply(text, editOf(text, 'b\nc', 'B\nC'), IN_FILE, 'b', 'new', 'c')).toBe('a\r\nb\nnew\r\nc\r\n');
  });

  it('preserve a missing final newline and the byte order mark', () => {
    expect(apply('a\nb', editOf('a\nb', 'b', 'B\n'), IN_FILE, 'x')).toBe('a\nx');
    expect(apply('\u{FEFF}a\nb\n', editOf('\u{FEFF}a\nb\n', 'a', 'z'), IN_FILE, 'y')).toBe('\u{FEFF}y\nb\n');
  });

  it('U+FEFF is a byte order mark only at the start of the file, and refused elsewhere (S11, S48, C8)', () => {
    const marked = '\u{FEFF}a\nb\n';
    const change = editOf(marked, 'a', 'z');
    const lines = ['y', '\u{FEFF}b'];
    expect(applyUserEdit({ change, proposed: change, placement: IN_FILE, baseText: marked, lines })).toEqual({
      kind: 'refused',
      refusal: { reason: 'hidden-character', codePoint: 0xfeff, line: 2 },
    });
    // Removing it from the proposed lines is an edit, not an approval.
    const atTop = editOf('a\nb\n', 'a', '\u{FEFF}x');
    expect(apply('a\nb\n', atTop, IN_FILE, 'x')).toBe('x\nb\n');
  });

  it('are the whole content of a new file, which ends like the proposed one', () => {
    const lines = ['# Mine', 'text'];
    for (const [content, expected] of [
      ['# New\n', '# Mine\ntext\n'],
      ['# New', '# Mine\ntext'],
      ['# New\r\n\r\n', '# Mine\r\ntext\r\n'],
    ] as const) {
      const change = newFile(content);
      const result = applyUserEdit({ change, proposed: change, placement: IN_FILE, baseText: null, lines });
      expect(committed(null, acceptedEdit(result))).toBe(expected);
    }
  });
});

describe('exactly the proposed lines (S48, K11)', () => {
  it.each([
    ['in a block', placed('a\nb\n', editOf('a\nb\n', 'a\n', 'a\nx\n')), editOf('a\nb\n', 'a\n', 'a\nx\n'), ['a', 'x']],
    ['in a diff', IN_FILE, editOf('a\nb\n', 'a\n', 'a\nx\n'), ['x']],
    ['except for the final newline, which lines cannot express', IN_FILE, editOf('a\nb', 'b', 'B\n'), ['B']],
  ] as const)('are no change, %s', (_, placement, change, lines) => {
    const baseText = change.region?.old[0] === 'b' ? 'a\nb' : 'a\nb\n';
    expect(applyUserEdit({ change, proposed: change, placement, baseText, lines })).toEqual({ kind: 'unchanged' });
  });

  it('are no change for a new file, with or without a final newline', () => {
    for (const content of ['# New\n', '# New']) {
      const change = newFile(content);
      const input = { change, proposed: change, placement: IN_FILE, baseText: null };
      const result = applyUserEdit({ ...input, lines: ['# New'] });
      expect(result).toEqual({ kind: 'unchanged' });
    }
  });
});

describe('an edit of another user’s edit (S48)', () => {
  const proposed = editOf('a\nb\nc\n', 'b', 'B');
  const first = acceptedEdit(
    applyUserEdit({ change: proposed, proposed, placement: IN_FILE, baseText: 'a\nb\nc\n', lines: ['x'] }),
  );
  const input = { change: first.change, proposed, placement: IN_FILE, baseText: 'a\nb\nc\n' };

  it('has a diff from the model’s proposal', () => {
    const { userEdit } = acceptedEdit(applyUserEdit({ ...input, lines: ['y'] }));
    expect(userEdit?.diff).toContain('\n-B\n+y\n');
  });

  it('has no diff if it restores the model’s proposal', () => {
    const { change, userEdit } = acceptedEdit(applyUserEdit({ ...input, lines: ['B'] }));
    expect(userEdit).toBeNull();
    expect(change.digest).toBe(proposed.digest);
  });
});

describe('refuses (S48, S49)', () => {
  const text = 'a\nb\na\n';
  const file = stored(text);
  const write = { path: 'file.txt', repositoryName: 'shop', file, content: 'x\n', lastReadBlob: file.ref.blob };
  const everywhere = {
    path: 'file.txt',
    repositoryName: 'shop',
    file,
    edits: [{ oldString: 'a', newString: 'A', replaceAll: true }],
  };

  it.each([
    ['several places', changeOf(buildEdit(everywhere)), ['x'], { reason: 'not-one-place' }],
    ['a replaced file', changeOf(buildWrite({ ...write, content: 'x\nb\ny\n' })), ['x'], { reason: 'not-one-place' }],
    ['lines that the file already has', editOf(text, 'b', 'B'), ['b'], { reason: 'unchanged' }],
    ['a NUL character', editOf(text, 'b', 'B'), ['b\0'], { reason: 'not-text' }],
    ['half a surrogate pair', editOf(text, 'b', 'B'), ['\uD83D'], { reason: 'not-text' }],
    ['a diff that is too long', editOf(text, 'b', 'B'), ['x'.repeat(240_000)], { reason: 'diff-too-long' }],
  ] as const)('%s', (_, change, lines, refusal) => {
    expect(applyUserEdit({ change, proposed: change, placement: IN_FILE, baseText: text, lines })).toEqual({
      kind: 'refused',
      refusal,
    });
  });

  it('nothing for a replaced file with one block of changed lines (S161)', () => {
    const change = changeOf(buildWrite({ ...write, content: 'a\nB\nC\na\n' }));
    const edit = acceptedEdit(
      applyUserEdit({ change, proposed: change, placement: IN_FILE, baseText: text, lines: ['mine'] }),
    );
    expect(committed(text, edit)).toBe('a\nmine\na\n');
    expect(edit.change.op).toBe('write');
    expect(applyUserEdit({ change, proposed: change, placement: IN_FILE, baseText: text, lines: ['B', 'C'] })).toEqual({
      kind: 'unchanged',
    });
  });

  it('a file that would exceed the limit, with its size', () => {
    const large = `b\n${'x\n'.repeat(MAX_FILE_BYTES / 2 - 5)}`;
    const change = editOf(large, 'b', 'B');
    const input = { change, proposed: change, placement: IN_FILE, baseText: large };
    const result = applyUserEdit({ ...input, lines: ['y'.repeat(100)] });
    expect(result).toEqual({ kind: 'refused', refusal: { reason: 'too-large', bytes: MAX_FILE_BYTES - 8 + 99 } });
  });
});

/** A file, a change of some of its lines, and a user's lines instead. */
const exchange = fc
  .tuple(
    anyText,
    fc.nat({ max: 13 }),
    fc.integer({ min: 1, max: 3 }),
    fc.array(anyLine, { maxLength: 3 }),
    fc.array(anyLine, { maxLength: 4 }),
  )
  .map(([baseText, at, size, newLines, lines]) => {
    const oldString = splitLines(baseText)
      .slice(at, at + size)
      .join('');
    const input = { path: 'file.txt', repositoryName: 'shop', file: stored(baseText) };
    const newString = newLines.map((line) => `${line}\n`).join('');
    const built =
      oldString === '' ? null : buildEdit({ ...input, edits: [{ oldString, newString, replaceAll: false }] });
    return { baseText, change: built?.kind === 'change' ? built.change : null, lines };
  });

describe('any file and lines (S48, S92)', () => {
  it('in place of a suggestion block, the bytes equal those of “Commit suggestion”', () => {
    let compared = 0;
    fc.assert(
      fc.property(exchange, ({ baseText, change, lines }) => {
        if (change === null) return;
        const placement = placed(baseText, change);
        if (placement.kind !== 'suggestion') return;
        // GitHub's handling of a deleted last line without a newline is unknown.
        if (lines.length === 0 && !baseText.endsWith('\n')) return;
        const body = replyWith(lines);
        const replacement = {
          start: placement.startLine ?? placement.line,
          end: placement.line,
          lines: parseSuggestionBlock(body) ?? [],
        };
        const expected = replaceLines(encodeText(baseText), [replacement]);
        const result = applyUserEdit({ change, proposed: change, placement, baseText, lines: readLines(body) });
        compared += 1;
        if (result.kind === 'unchanged') expect(change.result?.blob).toBe(blobSha(expected));
        else if (result.kind === 'refused' && result.refusal.reason === 'anchor-missing') {
          const anchor = splitLines(baseText)[result.refusal.line - 1]?.replace(/\n$/, '');
          const count = (all: readonly string[]): number => all.filter((line) => line === anchor).length;
          expect(count(lines)).toBeLessThan(count(placement.lines));
        } else if (result.kind === 'refused') expect(blobSha(expected)).toBe(change.base?.blob);
        else expect(Buffer.from(fileAfter(encodeText(baseText), result.change))).toEqual(Buffer.from(expected));
      }),
      { numRuns: 3_000 },
    );
    expect(compared).toBeGreaterThan(300);
  });

  it('lines outside the range stay, the digest covers the region, and the revert region restores the proposal', () => {
    let count = 0;
    fc.assert(
      fc.property(exchange, ({ baseText, change, lines }) => {
        if (change === null || change.region === null) return;
        const place = userEditRange(change, IN_FILE);
        const result = applyUserEdit({
          change,
          proposed: change,
          placement: IN_FILE,
          baseText,
          lines: readLines(replyWith(lines)),
        });
        if (place === null || result.kind !== 'change') return;
        count += 1;
        const after = committed(baseText, result);
        const [base, newLines] = [baseText, after].map((text) => splitLines(text.replace(/^\u{FEFF}/u, '')));
        if (base === undefined || newLines === undefined) throw new Error('Two texts are expected.');
        const below = base.slice(place.index + place.count);
        expect(after.startsWith('\u{FEFF}')).toBe(baseText.startsWith('\u{FEFF}'));
        expect(newLines.slice(0, place.index)).toEqual(base.slice(0, place.index));
        expect(newLines.slice(newLines.length - below.length)).toEqual(below);
        const mine = newLines
          .slice(place.index, newLines.length - below.length)
          .join('')
          .replaceAll('\r\n', '\n');
        const open = place.count > 0 && below.length === 0 && !baseText.endsWith('\n');
        expect(open && lines.length > 0 ? `${mine}\n` : mine).toBe(lines.map((line) => `${line}\n`).join(''));
        const { revertRegion } = result.userEdit ?? {};
        if (revertRegion === undefined) throw new Error('It differs from what was proposed.');
        const { path, base: from, result: to, region, digest } = result.change;
        if (from === null || to === null || region === null) throw new Error('An edit has both sides.');
        const body = { kind: 'region', region } as const;
        expect(changeDigest({ op: 'edit', path, fromPath: null, oldMode: from.mode, newMode: to.mode, body })).toBe(
          digest,
        );
        expect(applyRegion(after, revertRegion)).toBe(applyRegion(baseText, change.region));
      }),
      { numRuns: 2_000 },
    );
    expect(count).toBeGreaterThan(300);
  });
});
