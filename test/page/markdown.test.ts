import { describe, expect, it } from 'vitest';
import { renderMarkdown } from '../../demo/page/markdown.ts';

const ANCHOR = { path: 'a.ts', first: 1, last: 1, lines: ['const one = 1;'] };

describe('comments on the page', () => {
  it.each([
    ['', 0],
    ['\n', 1],
    ['const two = 2;\n', 1],
    ['const two = 2;\n\n', 2],
  ])('the suggestion %j has %i lines (PG2)', (lines, count) => {
    const { markup } = renderMarkdown(`\`\`\`suggestion\n${lines}\`\`\``, {
      webUrl: 'http://127.0.0.1',
      anchor: ANCHOR,
    });
    expect(markup.match(/<tr class="diff-added">/g) ?? []).toHaveLength(count);
    expect(markup.match(/<tr class="diff-removed">/g)).toHaveLength(1);
  });
});
