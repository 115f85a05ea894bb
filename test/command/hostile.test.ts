import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { describe, expect, it } from 'vitest';
import { readPage } from '../../src/command/page.ts';
import { readComment } from '../../src/command/read-comment.ts';

const SIZE = 65_536;
const repeated = (piece: string, tail = ''): string =>
  piece.repeat(Math.ceil(SIZE / piece.length)).slice(0, SIZE) + tail;

const HOSTILE: readonly (readonly [name: string, body: string])[] = [
  ['spaces', repeated(' ')],
  ['spaces before a command', `${repeated(' ').slice(10)}/approve`],
  ['spaces behind a command', `/approve${repeated(' ').slice(20)}but`],
  ['tabs', repeated('\t')],
  ['line feeds', repeated('\n')],
  ['carriage returns', repeated('\r')],
  ['quote marks', repeated('>')],
  ['spaced quote marks', repeated('> ')],
  ['quoted lines', repeated('> a\n')],
  ['quoted id lines', repeated('> Change 1 of 2 · `k7q2` · digest `0123456789ab` · head `0123456`\n')],
  ['deep quotes', repeated(`${'>'.repeat(200)}\n`)],
  ['a lazy quote', `> a\n${repeated('b\n')}`.slice(0, SIZE)],
  ['many lazy quotes', repeated('> a\nb\n\n')],
  ['mixed lazy quotes', repeated('> a\nb\n')],
  ['quoted lists', repeated('> - a\n')],
  ['backticks', repeated('`')],
  ['tildes', repeated('~')],
  ['an unclosed fence', `\`\`\`\n${repeated('a\n')}`.slice(0, SIZE)],
  ['many fences', repeated('```\n')],
  ['fences that grow', Array.from({ length: 360 }, (_, index) => '`'.repeat(index + 3)).join('\n')],
  ['many suggestions', repeated('```suggestion\na\n```\n')],
  ['nested lists', Array.from({ length: 360 }, (_, index) => `${' '.repeat(index)}- a`).join('\n')],
  ['list marks', repeated('- ')],
  ['headings under text', repeated('a\n=\n')],
  ['stars', repeated('* * ')],
  ['brackets', repeated('[')],
  ['definitions', repeated('[a]: b\n')],
  ['angles', repeated('<')],
  ['comments', repeated('<!--')],
  ['comment lines', repeated('<!--\n')],
  ['tags', repeated('<a b="c" ')],
  ['mail headers', repeated('On 1 May 2026\n')],
  ['a long mail header', `On ${repeated('1 ')}`.slice(0, SIZE)],
  ['ids', `/deny ${repeated('k7q2 ')}`.slice(0, SIZE)],
  ['ids to approve', `/approve ${repeated('k7q2 ')}`.slice(0, SIZE)],
  ['one long word', `/${repeated('a')}`.slice(0, SIZE)],
  ['commands', repeated('/countersign ')],
  ['hidden characters', repeated('\u200B')],
  ['thumbs', repeated('👍')],
  ['lone surrogates', repeated('\uD800')],
  ['two megabytes', '> a\n'.repeat(500_000)],
];

describe('S63, H12: reading is linear', () => {
  it.each(HOSTILE)('%s take less than 50 ms', (_name, body) => {
    let least = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < 8 && least >= 50; attempt += 1) least = Math.min(least, timeToRead(body));
    expect(least).toBeLessThan(50);
  });
});

/** Milliseconds that this thread worked: other processes on the machine do not count. */
function timeToRead(body: string): number {
  const before = process.threadCpuUsage();
  readComment(body, 'countersign');
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

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
    ],
  );

  it('S48: where it is not certain what is a fence, no suggestion is read', () => {
    expect(readPage('<b\n```suggestion\n\n~~~suggestion\n~~~').suggestions).toEqual([]);
    expect(readPage('<b\n<!--\n\n```suggestion\n   ```').suggestions).toEqual([]);
    expect(readPage('- ~~~\n  ```suggestion\n  a\n  ```\n  ~~~').suggestions).toEqual([]);
  });

  it('S48: a suggestion that is read is a suggestion on the page, with the same lines', () => {
    let found = 0;
    fc.assert(
      fc.property(fc.array(line, { maxLength: 9 }), (lines) => {
        const text = lines.join('\n');
        const shown = fromMarkdown(text).children.flatMap((node) =>
          node.type === 'code' && node.lang === 'suggestion' ? [node.value] : [],
        );
        for (const block of readPage(text).suggestions) {
          found += 1;
          expect(shown).toContain(block.join('\n'));
        }
      }),
      { numRuns: 3000 },
    );
    expect(found).toBeGreaterThan(20);
  });
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
