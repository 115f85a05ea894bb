import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinBlocks } from '../../../../../src/core/messages/shared/markdown.ts';
import { quoteModelMarkdown } from '../../../../../src/core/messages/shared/model-markdown.ts';
import { cpuSeconds } from '../../../../support/cpu-time.ts';
import { hostileText } from '../hostile-text.ts';
import { ACTIVE, liveText, nodesOf } from '../markdown-tree.ts';

/** The quoted lines without their quote. */
function shown(text: string): string {
  const [, , ...lines] = quoteModelMarkdown('Answer', text, 8_000).split('\n');
  return lines.map((line) => line.replace(/^> ?/, '')).join('\n');
}

const ANSWER = `## What it does

It has **two** steps, see \`src/total.ts\`:

1. read the rows
   - each *once*
   - in order
2. add them:

   \`\`\`ts
   for (const row of rows) {
   \ttotal += row; // @ana #1 <!-- x --> </details>
   }
   \`\`\`

Costs per step
| step | cost |
|:---|---:|
| read | \`O(n)\` |
| add | see #1, @ana |

    indented code

> a quote with [a link](https://evil.test)

![image](https://evil.test/x.png) and <b>HTML</b>`;

describe('the model’s Markdown', () => {
  it('keeps fenced code, lists, tables and indentation; links, images, mentions and HTML are text (S160)', () => {
    expect(shown(ANSWER)).toMatchInlineSnapshot(`
      "**What it does**

      It has **two** steps, see \`src/total.ts\`:

      1. read the rows
         - each *once*
         - in order
      2. add them:

         \`\`\`ts
         for (const row of rows) {
         	total += row; // @ana #1 <!-- x --> </details>
         }
         \`\`\`

      Costs per step

      | step | cost |
      | --- | --- |
      | read | \`O(n)\` |
      | add | see \`#1\`, \`@ana\` |

      \`\`\`
      indented code
      \`\`\`

      > a quote with \`[a link](https://evil.test)\`

      \`![image](https://evil.test/x.png)\` and \`<b>HTML</b>\`"
    `);
  });

  it.each([
    ['- [x] task', '- `[x]` task'],
    ['* one\n* two', '- one\n- two'],
    ['/approve k7q2', '… `/approve` k7q2'],
    ['- **/approve**\n- `/deny`', '- … **`/approve`**\n- … `/deny`'],
    ['```diff\n-a\n/approve\n```', '```\n-a\n… /approve\n```'],
    ['```suggestion\nrm -rf\n```', '```\nrm -rf\n```'],
    ['```mermaid\ngraph\n```', '```\ngraph\n```'],
    ['```ts\nnever closed', '```ts\nnever closed\n```'],
    ['````\n```\n````', '````\n```\n````'],
    ['Title\n===', '**Title**'],
    ['a\n\n---\n\nb', 'a\n\nb'],
    ['</details>', '`</details>`'],
    ['a **bold** and *light* word', 'a **bold** and *light* word'],
    ['`a ** b ** c`', '`a ** b ** c`'],
    ['**@ana**: see', '**`@ana`**: see'],
    ['[a]: http://evil.test', '`[a]`: `http://evil.test`'],
    ['-', '- …'],
    ['two\nlines', 'two\nlines'],
    [`${'> '.repeat(20)}deep`, `\`${'> '.repeat(20).trim()}\` deep`],
    ['---', '`---`'],
  ])('%j is shown as %j (S160)', (text, expected) => expect(shown(text)).toBe(expected));

  it('of any text is one quote without anything active (S160, C1, C2, C3, C5, C6, C7, S74)', () => {
    fc.assert(
      fc.property(hostileMarkdown, fc.integer({ min: 1, max: 200 }), (text, limit) => {
        const body = joinBlocks('before', quoteModelMarkdown('Answer', text, limit), 'after');
        const nodes = nodesOf(body);
        const foreign = nodes.filter(({ type }) => !INERT.has(type));
        expect(foreign).toEqual([]);
        for (const node of nodes)
          if (node.type === 'code') expect(node.lang ?? '').toMatch(/^(?!suggestion|mermaid|math)[a-z]*$/);
        for (const live of liveText(body)) expect(live).not.toMatch(ACTIVE);
        for (const line of body.split('\n').slice(1, -1))
          expect(line).toMatch(/^(?:>.*|Answer, written by the model:|)$/);
        expect(body).toMatch(/\n\nafter$/);
        expect(nodes.at(-1)).toMatchObject({ type: 'text', value: 'after' });
      }),
      { numRuns: 300 },
    );
  });

  it('loses no code: each block has the lines that it had (S160)', () => {
    const line = fc.stringMatching(/^[a-z`~<>@# /\t|*-]{0,12}$/);
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 6 }),
        fc.constantFrom('', '- ', '10. '),
        (lines, marker) => {
          const indent = ' '.repeat(marker.length);
          const rows = ['`````ts', ...lines, '`````'].map((one, index) => `${index === 0 ? marker : indent}${one}`);
          const kept = nodesOf(quoteModelMarkdown('Answer', rows.join('\n'), 8_000)).flatMap((node) =>
            node.type === 'code' ? [node.value] : [],
          );
          fc.pre(!lines.some((one) => /^ {0,3}`{5,}/.test(one)));
          expect(kept.map((code) => code.replace(/^(\s*)… (?=\/)/gm, '$1'))).toEqual([lines.join('\n')]);
        },
      ),
    );
  });

  it('of 6,000 hostile characters takes less than a few seconds (H12)', () => {
    const pieces = [
      ...['> ', '>', '- ', '1. ', '- a\n', '> a\n\n', '> a\nb\n', '```\n', '`', '**', '*a', '|', '\n', '# a\n'],
      ...['<'],
    ];
    const quoteAll = () => {
      for (const piece of pieces) quoteModelMarkdown('Answer', piece.repeat(Math.ceil(6_000 / piece.length)), 6_000);
    };
    expect(cpuSeconds(quoteAll)).toBeLessThan(10);
  });
});

const INERT: ReadonlySet<string> = new Set([
  ...['blockquote', 'paragraph', 'text', 'inlineCode', 'code', 'list', 'listItem', 'strong', 'emphasis'],
]);

/** Hostile pieces on lines of their own as well, where blocks begin. */
const hostileMarkdown = fc
  .array(
    fc.tuple(hostileText, fc.constantFrom('\n', '\n\n', '\n  ', '\n    ', '\n- ', '\n1. ', '\n> ', ' **', '* ', ' | ')),
    {
      maxLength: 6,
    },
  )
  .map((parts) => parts.flat().join(''));
