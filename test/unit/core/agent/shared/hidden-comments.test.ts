import fc from 'fast-check';
import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { describe, expect, it } from 'vitest';
import { stripHtmlComments } from '../../../../../src/core/agent/shared/hidden-comments.ts';
import { cpuSeconds } from '../../../../support/cpu-time.ts';

const COMMENT = '<!-- WORDS -->';

const LABELED = `[perhaps hidden from people:] ${COMMENT}`;

/** The parts that a parser takes for HTML, in which GitHub shows no comment, and for text or code. */
function parse(text: string): { readonly html: string; readonly shown: string } {
  const [html, shown]: [string[], string[]] = [[], []];
  const visit = (node: Nodes): void => {
    if ('value' in node) (node.type === 'html' ? html : shown).push(node.value);
    if ('children' in node) node.children.forEach(visit);
  };
  visit(fromMarkdown(text));
  return { html: html.join('\n'), shown: shown.join('\n') };
}

describe('HTML comments in Markdown', () => {
  it.each([
    ['between escaped backticks', `Look at \\\` ${COMMENT} \\\` please`],
    ['between an escaped backtick and a lone one', `Look at \\\` ${COMMENT} \` please`],
    ['in a fence within an HTML block', `<div>\n\`\`\`\n${COMMENT}\n\`\`\`\n</div>`],
    ['in a fence within folded text', `<details><summary>x</summary>\n~~~\n${COMMENT}\n~~~\n</details>`],
    ['in a code span that another paragraph would end', `a \` b\n\n${COMMENT} \` c`],
    ['below a fence that the end of its list item ends', `- \`\`\`\n\ntext\n\n${COMMENT}`],
    ['between backticks of attributes', `<a title="\`">x</a> ${COMMENT} <a title="\`">y</a>`],
    ['in a list', `- one ${COMMENT}\n- two \`x\``],
    ['in a fence below a lone tag', `<b>\n\`\`\`\n${COMMENT}\n\`\`\``],
  ])('are removed %s, because GitHub hides them (D2)', (_, text) => {
    expect(parse(text).html).toContain(COMMENT);
    const { text: stripped, removedCount } = stripHtmlComments(text);
    expect(stripped).not.toContain('WORDS');
    expect(removedCount).toBe(1);
  });

  it.each([
    ['in an indented code block', `Put this on top:\n\n    ${COMMENT}\n    <b>x</b>\n`],
    ['in a code span over two lines', `write \`a\nb ${COMMENT}\` there`],
    ['in a code span of a list', `- write \`${COMMENT}\`\n- and \`x\``],
    ['in a code span below a tag within a line', `<b>Note</b>: write \`${COMMENT}\``],
    ['in a fence below a list', `- one:\n\`\`\`html\n${COMMENT}\n\`\`\``],
    ['in a fence below folded text', `<details>\n\n\`\`\`\n${COMMENT}\n\`\`\`\n\n</details>`],
    ['behind an escaped bracket', `the text \\${COMMENT}`],
  ])('are kept as they are %s, because GitHub shows them (D2)', (_, text) => {
    expect(parse(text).shown).toContain(COMMENT);
    expect(stripHtmlComments(text)).toEqual({ text, removedCount: 0 });
  });

  it.each([
    ['in a fence of a numbered list', `1. Add this:\n\n    \`\`\`html\n    ${COMMENT}\n    \`\`\`\n`],
    ['in a fence of a quote', `> \`\`\`html\n> ${COMMENT}\n> \`\`\`\n`],
    ['below a fence that text ends with its list item', `- \`\`\`\ntext ${COMMENT}\n`],
    ['in a table', `a | b\n-|-\n\`x\` | ${COMMENT}`],
  ])('get a label %s, where only a parser knows whether GitHub shows them (D2)', (_, text) => {
    expect(stripHtmlComments(text)).toEqual({ text: text.replace(COMMENT, LABELED), removedCount: 0 });
  });

  it('are never lost where people see them, and never pose as words that people see (D2)', () => {
    const pieces = ['`', '``', '```', '~~~', '\\', '\n', '\n\n', '> ', '- ', '2. ', '    ', '  ', '\t', '# ', '*', '['];
    const html = ['<div>', '</div>', '<b>', '<a t="`">', "<a t='> `'>", '<?', '<pre>', '</pre>', '<x@`y.z>'];
    const others = ['word ', ']: ', ' ', '   ', '1) ', '<!-- c -->', '-->'];
    const parts = fc.array(fc.constantFrom(...pieces, ...pieces, ...html, '\n', '\n', ...others), {
      maxLength: 14,
    });
    fc.assert(
      fc.property(parts, parts, (before, after) => {
        const text = `${before.join('')}${COMMENT}${after.join('')}`;
        const parsed = parse(text);
        const stripped = stripHtmlComments(text).text;
        if (parsed.shown.includes('WORDS')) expect(stripped).toContain('WORDS');
        if (parsed.html.includes('WORDS')) expect(stripped.replace(LABELED, '')).not.toContain('WORDS');
      }),
      { numRuns: 3_000 },
    );
  });

  it('are found in linear time (H12)', () => {
    const pieces = [
      '<a b="',
      '<a b ',
      '<a ',
      ' ',
      '\\`',
      '- <!-- x',
      '> ',
      '<a@',
      '<a:',
      '`\\``',
      '- `\n',
      '<b>\n',
      '</a ',
    ];
    const strip = () => {
      for (const piece of pieces) {
        const hostile = piece.repeat(Math.floor(65_000 / piece.length));
        for (const text of [`${hostile}\n<!--`, `x${hostile}\n<!-- x -->`, `- <!-- x -->${hostile}`])
          stripHtmlComments(text);
      }
    };
    expect(cpuSeconds(strip)).toBeLessThan(8);
  });
});
