import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { describe, expect, it } from 'vitest';
import { COMMAND_GRAMMAR } from '../../../../src/core/commands/all-commands.ts';
import { markLines, parseComment, splitSuggestion } from '../../../../src/core/comments/parse-comment.ts';
import { HOSTILE_BODIES, repeated, SIZE } from './hostile-bodies.ts';

const piece = fc.constantFrom(
  ...[
    ...['/approve', '/approve k7q2', '/countersign', '@countersign', 'all', 'k7q2', 'lgtm', 'yes', '1', '👍', 'a'],
    ...['word'],
  ],
  ...['\n', '\n', '\n\n', '\r\n', '\r', ' ', '    ', '\t', '> ', '>', '- ', '1. ', '# ', '```', '````', '~~~', '`'],
  ...['<!--', '-->', '<pre>', '</pre>', '<div>', 'suggestion', '---', '===', '***', '\u200B', '\uFEFF', '\u0000', '／'],
);

const body = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''));

/** The rule itself, independent of the code under test: some line begins with the command. */
function hasAnchoredApprove(text: string): boolean {
  return text
    .split(/\r\n|\r|\n/)
    .some((line) => /^(?: {0,3}|\s*@countersign[\s,:]*)\/(?:countersign\s+\/)?approve(?:\s|$)/i.test(line));
}

describe('an ambiguous comment is never an approval (S65)', () => {
  it('no approval without a line that begins with the command (S65)', () => {
    fc.assert(
      fc.property(body, (text) => {
        const { parsed } = parseComment(COMMAND_GRAMMAR, text, 'countersign');
        if (parsed.kind === 'command' && parsed.command.name === 'approve') {
          expect(hasAnchoredApprove(text)).toBe(true);
        }
      }),
      { numRuns: 1_500 },
    );
  });

  it('an approval is rendered as a paragraph of its own, with only quotes above it (S65, F18)', () => {
    let approvals = 0;
    fc.assert(
      fc.property(body, (text) => {
        const { parsed } = parseComment(COMMAND_GRAMMAR, text, 'countersign');
        if (parsed.kind !== 'command' || parsed.command.name !== 'approve') return;
        approvals += 1;
        const first = fromMarkdown(text).children.find((node) => node.type !== 'blockquote');
        expect(['paragraph', 'heading']).toContain(first?.type);
        const from = first?.position?.start.offset ?? 0;
        expect(text.slice(from)).toMatch(/^(?:@countersign[\s,:]*)?\/(?:countersign\s+\/)?approve/i);
      }),
      { numRuns: 1_300 },
    );
    expect(approvals).toBeGreaterThan(10);
  });

  it('a command has no effect below or behind other text (S65)', () => {
    const before = fc.constantFrom(
      ...['please', '`', '```', '<!-- -->', '- a', '# a', '    a', '\u00A0', '<b>', '\\', '1.'],
    );
    fc.assert(
      fc.property(before, fc.constantFrom('\n', '\n\n', ' '), (words, gap) => {
        const { parsed } = parseComment(COMMAND_GRAMMAR, `${words}${gap}/approve all`, 'countersign');
        expect(parsed.kind).not.toBe('command');
      }),
    );
  });
});

describe('blocks are parsed as they are rendered (S48, S58)', () => {
  const line = fc.constantFrom(
    ...['```suggestion', '````suggestion', '```', '````', '~~~', '~~~suggestion', '``` ts', '   ```', '    ```'],
    ...[
      ...['text', '', '', '> quote', '> ```', '<!--', '-->', '<!-- x -->', '<pre>', '</pre>', '<div>', '<b', '# a'],
      ...['---', '- item', '-', '1) item', '  ```suggestion', '\ttext'],
    ],
  );

  it.each([
    '<b\n```suggestion\na\n```',
    '<b\n<!--\n\n```suggestion\n```',
    '> a\n<div>\n```suggestion\na\n```',
    '- ~~~\n```suggestion\na\n```\n~~~',
    '- so:\n  ```suggestion\na\n  ```',
    '-\n  ```\n```suggestion\na\n```',
    '```suggestion',
  ])('%j has no certain suggestion (S48)', (text) => {
    expect(splitSuggestion(markLines(text)).suggestion).toBe('unclear');
  });

  it('finds a block below a list, and keeps its tabs (S48)', () => {
    expect(splitSuggestion(markLines('- so:\n\n```suggestion\n\ta\n  b\n```')).suggestion).toEqual(['\ta', '  b']);
  });

  it('every suggestion is rendered as one, with the same lines (S48)', () => {
    let found = 0;
    fc.assert(
      fc.property(fc.array(line, { maxLength: 9 }), (lines) => {
        const text = lines.join('\n');
        const shown = fromMarkdown(text).children.flatMap((node) =>
          node.type === 'code' && node.lang === 'suggestion' ? [node.value] : [],
        );
        const { suggestion } = splitSuggestion(markLines(text));
        if (suggestion === null || suggestion === 'unclear') return;
        found += 1;
        expect(shown).toEqual([suggestion.join('\n')]);
      }),
      { numRuns: 2_000 },
    );
    expect(found).toBeGreaterThan(40);
  });
});

/** The benchmark measures the time of each. A parser that is not linear would take minutes here. */
describe('bodies of a megabyte (S63, H12)', () => {
  const MEGABYTE = 1_048_576;
  const large = HOSTILE_BODIES.map(([name, body]) => [name, body.repeat(Math.ceil(MEGABYTE / body.length))] as const);

  it.each(large)('of %s: the result is not larger than a comment on GitHub', (_name, body) => {
    expect(JSON.stringify(parseComment(COMMAND_GRAMMAR, body, 'countersign').parsed).length).toBeLessThan(8 * SIZE);
  });

  it('do not leak memory', () => {
    const gc = collector();
    const readAll = (): void => {
      for (const [, body] of large) parseComment(COMMAND_GRAMMAR, body, 'countersign');
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
    if (typeof gc !== 'function') throw new Error('the garbage collector cannot be called');
    return () => void gc();
  }
});

it('a body longer than any comment on GitHub holds no command (S57)', () => {
  expect(parseComment(COMMAND_GRAMMAR, `/approve\n${repeated('word\n')}`, 'countersign').parsed.kind).toBe('command');
  expect(
    parseComment(COMMAND_GRAMMAR, `/approve\n${repeated('word\n').repeat(3)}`, 'countersign').parsed,
  ).toMatchObject({
    kind: 'text',
    text: '',
  });
});
