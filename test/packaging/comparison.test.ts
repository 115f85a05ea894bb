import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const page = readFileSync(new URL('../../docs/comparison.md', import.meta.url), 'utf8');

/** The cells of each row below a heading, without the table's own head. */
function rowsBelow(heading: string): readonly (readonly string[])[] {
  const [, after = ''] = page.split(`## ${heading}\n`);
  const lines = (after.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(1).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const DATE = /\b20\d\d-\d\d|autumn 20\d\d/;

describe('the comparison (O32)', () => {
  it('says first what others do better, of each product that a team compares', () => {
    const products = rowsBelow('What others do better');
    expect(page.indexOf('## What others do better')).toBeLessThan(page.indexOf('## What a team decides by'));
    const names = products.map(([name]) => name).join('; ');
    for (const name of ['claude-code-action', 'Copilot', 'run-gemini-cli', 'gh-aw', 'CodeRabbit', 'pr-agent', 'eve'])
      expect(names).toContain(name);
    expect(names).toContain('Renovate, bors');
    for (const [name, better = '', source = ''] of products)
      expect([name, better.length > 0, DATE.test(source)]).toEqual([name, true, true]);
  });

  it('has some 25 rows that a team decides by, each with a source and its date', () => {
    const rows = rowsBelow('What a team decides by');
    expect(rows.length).toBeGreaterThanOrEqual(25);
    for (const [question = '', ours = '', others = '', source = '', ...more] of rows) {
      expect(question).toMatch(/\?$/);
      expect([question, ours !== '' && others !== '', more]).toEqual([question, true, []]);
      for (const part of source.split(';')) expect([question, part, DATE.test(part)]).toEqual([question, part, true]);
    }
  });
});
