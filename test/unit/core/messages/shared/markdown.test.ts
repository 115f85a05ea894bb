import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeHiddenAndCr } from '../../../../../src/core/edits/text/characters.ts';
import {
  blockQuote,
  codeBlock,
  codeSpan,
  escapeText,
  joinBlocks,
  link,
  quoteModelText,
  stripMarkers,
  tableCodeSpan,
} from '../../../../../src/core/messages/shared/markdown.ts';
import { cpuSeconds } from '../../../../support/cpu-time.ts';
import { hostileText } from '../hostile-text.ts';
import { ACTIVE, liveText, nodesOf } from '../markdown-tree.ts';

const runs = { numRuns: 400 };

describe('escapeText', () => {
  it.each([
    ['Uses bigint, so that sums don’t overflow.', 'Uses bigint, so that sums don’t overflow.'],
    ['cc @ana and @org/team', 'cc `@ana` and `@org/team`'],
    ['&#64;ana &commat;ana \\@ana', '`&#64;ana &commat;ana \\@ana`'],
    ['Fixes #1 and ana/shop#5, GH-7', 'Fixes `#1` and `ana/shop#5`, `GH-7`'],
    ['/approve k7q2', '`/approve` k7q2'],
    ['1. one\n- two', '1\\. one - two'],
    ['call `sum(a)`, then stop', 'call `sum(a)`, then stop'],
    ['```suggestion\nrm -rf\n```', '`suggestion rm -rf`'],
    ['Edit src/total.ts: replace 1 line, as @ana: said', 'Edit `src/total.ts`: replace 1 line, as `@ana`: said'],
    [':rocket: a:b: and `a`:tada:', '`:rocket`: `a:b`: and `` `a`:tada ``:'],
    ['In `compileTrust` (lib/utils.js), please', 'In `compileTrust` (`lib/utils.js`), please'],
    ['the PR number {pr}`3790`, e.g. (sum(a/b))', 'the PR number `` {pr}`3790` ``, e.g. (`sum(a/b)`)'],
    ['`a` `b` (see "x/y")', '`a` `b` (see "`x/y`")'],
    ['[a](https://x.example) ("[b]")', '`[a](https://x.example)` ("`[b]`")'],
    ['see src/total.ts (line 3)', 'see `src/total.ts` (line 3)'],
    ['www.`a @ana b` and (WWW. `a`', '`www`.`a @ana b` and (`WWW`. `a`'],
    ['a\u202Eb', '`a\\u{202E}b`'],
    ['1 2 3 👍 ❤️', '1 2 3 👍 ❤️'],
  ])('%j is rendered as %j', (text, expected) => expect(escapeText(text)).toBe(expected));

  it('any text stays one inert paragraph on one line (C1, C2, C3, C5, C6, C7, A4)', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const escaped = escapeText(text);
        expect(escaped).not.toMatch(/[\n\r]/);
        expect(escaped).not.toMatch(/^\s*\/\w/m);
        const kinds = nodesOf(escaped).map((node) => node.type);
        expect(kinds.every((kind) => kind === 'text' || kind === 'inlineCode' || kind === 'paragraph')).toBe(true);
        expect(kinds.filter((kind) => kind === 'paragraph').length).toBeLessThan(2);
        for (const live of liveText(escaped)) expect(live).not.toMatch(ACTIVE);
      }),
      runs,
    );
  });

  it('loses no visible word', () => {
    const words = fc.array(fc.stringMatching(/^[a-z@#/.$:<>&-]{1,8}$/), { maxLength: 8 });
    fc.assert(
      fc.property(words, (list) => {
        const shown = nodesOf(escapeText(list.join(' '))).flatMap((node) => ('value' in node ? [node.value] : []));
        const flat = (text: string): string => text.replaceAll(/\s/g, '');
        expect(flat(shown.join(''))).toBe(flat(stripMarkers(list.join(' '))));
      }),
      runs,
    );
  });

  it('takes long hostile text in linear time (H12)', () => {
    const escapeAll = () => {
      for (const piece of ['`', '` ', "'", '<!-- countersign:', '(', '\u202E', 'a-', '*'])
        escapeText(piece.repeat(Math.ceil(20_000 / piece.length)));
      escapeText(`${'…!'.repeat(50_000)}#`);
    };
    expect(cpuSeconds(escapeAll)).toBeLessThan(5);
  });
});

describe('codeSpan', () => {
  it('shows any path as one piece of inline code (C14)', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const nodes = nodesOf(codeSpan(text));
        expect(nodes.map((node) => node.type)).toEqual(['paragraph', 'inlineCode']);
        const value = nodes.flatMap((node) => (node.type === 'inlineCode' ? [node.value] : []))[0];
        expect(value).toBe(
          text === '' ? '(empty)' : escapeHiddenAndCr(text).replaceAll('\t', '\\u{9}').replaceAll('\n', '\\u{A}'),
        );
      }),
      runs,
    );
  });

  it('never breaks a table cell (C14)', () => expect(tableCodeSpan('a|b`c')).toBe('``a\\u{7C}b`c``'));
});

describe('fence', () => {
  it('no content ends it (C1)', () => {
    fc.assert(
      fc.property(fc.array(hostileText.map((text) => escapeHiddenAndCr(text).replaceAll('\n', ' '))), (lines) => {
        const nodes = nodesOf(joinBlocks('before', codeBlock('diff', lines), 'after'));
        expect(nodes.map((node) => node.type)).toEqual(['paragraph', 'text', 'code', 'paragraph', 'text']);
        expect(nodes.flatMap((node) => (node.type === 'code' ? [node.value] : []))).toEqual([lines.join('\n')]);
      }),
      runs,
    );
  });
});

describe('quote', () => {
  it('contains only paragraphs inside one block quote (C1, C2, S74)', () => {
    fc.assert(
      fc.property(hostileText, fc.integer({ min: 1, max: 60 }), (text, cap) => {
        const body = joinBlocks('before', blockQuote(text, cap), 'after');
        const kinds = new Set(nodesOf(body).map((node) => node.type));
        for (const kind of ['blockquote', 'paragraph', 'text', 'inlineCode'] as const) kinds.delete(kind);
        expect([...kinds]).toEqual([]);
        expect(body).not.toMatch(/^\s*\/\w/m);
        for (const live of liveText(body)) expect(live).not.toMatch(ACTIVE);
      }),
      runs,
    );
  });

  it('labels the model’s text and says what it cut (B15)', () => {
    expect(quoteModelText('Reason', `## Why\n- ${'long '.repeat(3)}`, 12)).toMatchInlineSnapshot(`
      "Reason, written by the model:

      > Why
      >
      > • lon
      >
      > (showing 12 of 23 characters)"
    `);
  });
});

describe('markers', () => {
  it('are stripped exactly as by repeating until nothing changes (S74)', () => {
    const repeated = (text: string): string => {
      const next = text.replace(/<!--\s*countersign:[^<>]*-->/gi, '');
      return next === text ? text : repeated(next);
    };
    const piece = fc.constantFrom('<!-- countersign:x -->', '<!--', ' Countersign:', 'a', '-->', '<', '>', '--', '\n');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 16 }), (pieces) => {
        expect(stripMarkers(pieces.join(''))).toBe(repeated(pieces.join('')));
      }),
      { numRuns: 1_500 },
    );
  });

  it.each([
    ['nested', '<!-- countersign:'.repeat(20_000) + ' -->'.repeat(20_000)],
    ['never closed', '<!-- countersign:'.repeat(50_000)],
    ['closed over and over', `<!-- countersign:${'a'.repeat(100_000)}${'>'.repeat(100_000)}`],
    ['split by markers', `<!-- ${'<!-- countersign:x -->a'.repeat(20_000)}`],
  ])('a long text of markers is read in one pass: %s (S74)', (_, text) => {
    const read = () => {
      stripMarkers(text);
      expect(blockQuote(text, 1_500).length).toBeLessThan(10_000);
    };
    expect(cpuSeconds(read)).toBeLessThan(4);
  });
});

describe('hidden characters', () => {
  it('are each written out, emoji sequences are not (C8)', () => {
    const hidden = [];
    for (let point = 0; point <= 0x10ffff; point += 1) {
      const character = String.fromCodePoint(point);
      if (/[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u.test(character)) hidden.push(character);
    }
    expect(hidden.length).toBeGreaterThanOrEqual(4174);
    for (const character of hidden) expect(escapeHiddenAndCr(`a${character}b`)).toMatch(/^a\\u\{[0-9A-F]+\}b$/);
    const harmless = '👩‍👩‍👧 ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 1️⃣ plain\ttext\n';
    expect(escapeHiddenAndCr(harmless)).toBe(harmless);
  });
});

describe('link', () => {
  it('cannot be ended by its address (C7)', () => {
    expect(link('`a`', 'https://x.test/a b)(<>`[')).toBe('[`a`](https://x.test/a%20b%29%28%3C%3E%60%5B)');
  });
});
