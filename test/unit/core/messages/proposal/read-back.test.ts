import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePostedMarkdown } from '../../../../../src/core/messages/proposal/read-back.ts';
import { nodesOf } from '../markdown-tree.ts';

/** Lines that open, close and contain code, or resemble such lines. */
const line = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('```', '```diff', '```suggestion', '````', '````diff', '`````') },
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', '', '`', '``', '\0') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...['~~~', '   ```', '    ```', '> ```', '> a', '- ```', '- a', '  a', '# a', '---', 'a\rb'],
      ...['<details>', '<!--', '-->', '</details>', '[a]: b'],
    ),
  },
);

describe('readPage', () => {
  it('reads any body like a parser of all its lines (B3, B16)', () => {
    let blocks = 0;
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 2, maxLength: 16 }),
        fc.constantFrom('\n', '\n', '\r\n'),
        (lines, end) => {
          const body = lines.join(end);
          const all = body.split(/\r\n|\n|\r/);
          const { nodes, codeLinesOf } = parsePostedMarkdown(body);
          const expected = nodesOf(body);
          expect(nodes.slice(1).map(({ type }) => type)).toEqual(expected.map(({ type }) => type));
          for (const [index, node] of nodes.slice(1).entries()) {
            const shown = codeLinesOf(node);
            const { position, ...other } = expected[index] ?? { type: 'break' };
            if (shown === null || !('value' in other)) continue;
            blocks += 1;
            expect(shown.join('\n')).toBe(other.value);
            expect(shown).toEqual(all.slice(position?.start.line, (position?.end.line ?? 0) - 1));
          }
        },
      ),
      { numRuns: 1000 },
    );
    expect(blocks).toBeGreaterThan(100);
  });

  it('parses no line of a block that contains fences shorter than its own (H6)', () => {
    const shown = Array.from({ length: 12_000 }, (_, at) => (at % 2 === 0 ? '+```' : '+``` '));
    const body = ['````diff', ...shown, '````'].join('\n');
    const { nodes, codeLinesOf } = parsePostedMarkdown(body);
    const blocks = nodes.filter(({ type }) => type === 'code');
    expect(blocks.map(codeLinesOf)).toEqual([shown]);
    expect(blocks[0]?.position?.end.line).toBe(2);
  });
});
