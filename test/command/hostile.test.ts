import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { describe, expect, it } from 'vitest';
import { readPage } from '../../src/command/page.ts';
import { readComment } from '../../src/command/read-comment.ts';
import { HOSTILE_BODIES, repeated, SIZE } from './hostile-bodies.ts';

const piece = fc.constantFrom(
  ...[
    '/approve',
    '/approve k7q2',
    '/countersign',
    '@countersign',
    'all',
    'k7q2',
    'lgtm',
    'yes',
    '1',
    '👍',
    'a',
    'word',
  ],
  ...['\n', '\n', '\n\n', '\r\n', '\r', ' ', '    ', '\t', '> ', '>', '- ', '1. ', '# ', '```', '````', '~~~', '`'],
  ...['<!--', '-->', '<pre>', '</pre>', '<div>', 'suggestion', '---', '===', '***', '\u200B', '\uFEFF', '\u0000', '／'],
);
const body = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''));

/** The rule in its plainest words, told without the code under test: some line begins with the command. */
function hasAnchoredApprove(text: string): boolean {
  return text.split(/\r\n|\r|\n/).some((line) => /^ {0,3}\/(?:countersign[ \t]+\/)?approve(?:[ \t]|$)/i.test(line));
}

describe('S65: nothing ambiguous reads as an approval', () => {
  it('S65: without a line that begins with the command there is no approval', () => {
    fc.assert(
      fc.property(body, (text) => {
        const { utterance } = readComment(text, 'countersign');
        if (utterance.kind === 'command' && utterance.command.name === 'approve') {
          expect(hasAnchoredApprove(text)).toBe(true);
        }
      }),
      { numRuns: 5000 },
    );
  });

  it('S65, F18: an approval is a paragraph of its own in the rendered page, below nothing but quotes', () => {
    let approvals = 0;
    fc.assert(
      fc.property(body, (text) => {
        const { utterance } = readComment(text, 'countersign');
        if (utterance.kind !== 'command' || utterance.command.name !== 'approve') return;
        approvals += 1;
        const first = fromMarkdown(text).children.find((node) => node.type !== 'blockquote');
        expect(['paragraph', 'heading']).toContain(first?.type);
        const from = first?.position?.start.offset ?? 0;
        expect(text.slice(from)).toMatch(/^\/(?:countersign[ \t]+\/)?approve/i);
      }),
      { numRuns: 4000 },
    );
    expect(approvals).toBeGreaterThan(20);
  });

  it('S65: what stands before a command, unless blank or quoted, takes its force', () => {
    const before = fc.constantFrom(
      'please',
      '`',
      '```',
      '<!-- -->',
      '- a',
      '# a',
      '    a',
      '\u00A0',
      '<b>',
      '\\',
      '1.',
    );
    fc.assert(
      fc.property(before, fc.constantFrom('\n', '\n\n', ' '), (words, gap) => {
        const { utterance } = readComment(`${words}${gap}/approve all`, 'countersign');
        expect(utterance.kind).not.toBe('command');
      }),
    );
  });
});

describe('S48, S58: blocks are read as they are rendered', () => {
  const line = fc.constantFrom(
    ...['```suggestion', '````suggestion', '```', '````', '~~~', '~~~suggestion', '``` ts', '   ```', '    ```'],
    ...[
      'text',
      '',
      '',
      '> quote',
      '> ```',
      '<!--',
      '-->',
      '<!-- x -->',
      '<pre>',
      '</pre>',
      '<div>',
      '<b',
      '# a',
      '---',
      '- item',
      '-',
      '1) item',
      '  ```suggestion',
      '\ttext',
    ],
  );

  it('S48: where it is not certain what is a fence, no suggestion is read', () => {
    expect(readPage('<b\n```suggestion\n\n~~~suggestion\n~~~').suggestions).toEqual([]);
    expect(readPage('<b\n<!--\n\n```suggestion\n   ```').suggestions).toEqual([]);
    expect(readPage('- ~~~\n  ```suggestion\n  a\n  ```\n  ~~~').suggestions).toEqual([]);
    // The item ends before `a`, and the block with it: it would delete the lines that it stands for.
    expect(readPage('- so:\n  ```suggestion\na\n  ```').suggestions).toEqual([]);
    expect(readPage('-\n  ```\n```suggestion\na\n```').suggestions).toEqual([]);
    // A tab is four columns wide, of which the fence takes one: three blanks are left of it.
    expect(readPage(' ```suggestion\n\ta\n ```').suggestions).toEqual([]);
  });

  it('S48: a block at the left edge is read whatever list stands above it, and with its tabs', () => {
    expect(readPage('- so:\n\n```suggestion\n\ta\n  b\n```').suggestions).toEqual([{ from: 2, lines: ['\ta', '  b'] }]);
    expect(readPage(' ```suggestion\n a\tb\n  c\n```').suggestions).toEqual([{ from: 0, lines: ['a\tb', ' c'] }]);
  });

  it('S48: nor is one said to be unclosed', () => {
    expect(readPage('- ~~~\n  ```suggestion\n  a\n  ```\n  ~~~\n```suggestion').unclosedFrom).toBeNull();
    expect(readPage('<b\n```suggestion').unclosedFrom).toBeNull();
  });

  it('S48: a suggestion that is read is a suggestion on the page, with the same lines', () => {
    let found = 0;
    fc.assert(
      fc.property(fc.array(line, { maxLength: 9 }), (lines) => {
        const text = lines.join('\n');
        const shown = fromMarkdown(text).children.flatMap((node) =>
          node.type === 'code' && node.lang === 'suggestion' ? [node.value] : [],
        );
        for (const { lines: block } of readPage(text).suggestions) {
          found += 1;
          expect(shown).toContain(block.join('\n'));
        }
      }),
      { numRuns: 6000 },
    );
    expect(found).toBeGreaterThan(100);
  });
});

describe('B10, S48: a mail program that does not mark what it quotes', () => {
  it('makes no suggestion of the person’s own of the one that stands in our comment', () => {
    const copy = 'Change 1 of 2 · `k7q2` · digest `0123456789ab` · head `9f8e7d6`\n\n```suggestion\na\n```';
    for (const body of [`Why?\n\n${copy}`, copy, `Why?\n\nAna skrev:\n\n${copy}\n`]) {
      expect(readComment(body, 'countersign').utterance).toMatchObject({ kind: 'remark', suggestions: [] });
    }
  });
});

/** How long each takes is a row of the benchmark; what is not linear takes minutes here. */
describe('S63, H12: bodies of a megabyte', () => {
  const MEGABYTE = 1_048_576;
  const large = HOSTILE_BODIES.map(([name, body]) => [name, body.repeat(Math.ceil(MEGABYTE / body.length))] as const);

  it.each(large)('of %s: no more is kept than GitHub allows a comment', (_name, body) => {
    expect(JSON.stringify(readComment(body, 'countersign').utterance).length).toBeLessThan(8 * SIZE);
  });

  it('memory is flat, however many are read', () => {
    const gc = collector();
    const readAll = (): void => {
      for (const [, body] of large) readComment(body, 'countersign');
    };
    readAll();
    gc();
    const before = process.memoryUsage().heapUsed;
    for (let times = 0; times < 5; times += 1) readAll();
    gc();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(2 * MEGABYTE);
  });

  function collector(): () => void {
    setFlagsFromString('--expose-gc');
    const gc: unknown = runInNewContext('gc');
    setFlagsFromString('--no-expose-gc');
    if (typeof gc !== 'function') throw new Error('the collector cannot be called');
    return () => void gc();
  }
});

describe('S57: a body beyond the limit', () => {
  it('is read up to its last whole line, and a general approval in it does not count', () => {
    const long = repeated('word\n');
    expect(readComment(`/approve\n${long}`, 'countersign').utterance).toMatchObject({
      kind: 'misfit',
      command: 'approve',
    });
    expect(readComment(`/approve all\n${long}`, 'countersign').utterance).toMatchObject({ kind: 'misfit' });
    expect(readComment(`/approve k7q2\n${long}`, 'countersign').utterance).toMatchObject({ kind: 'command' });
    expect(readComment(`/approve${' '.repeat(SIZE)}but`, 'countersign').utterance).toMatchObject({ kind: 'remark' });
    expect(readComment(`${repeated('> a\n')}\n/approve`, 'countersign').utterance).toMatchObject({ kind: 'remark' });
  });
});
