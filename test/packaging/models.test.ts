import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TASKS } from '../../lab/eval/tasks/all-tasks.ts';
import { costOf } from '../../src/core/state/spending.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/models.md'), 'utf8');

const numbers = (row: RegExp): readonly number[] =>
  (row.exec(page)?.slice(1) ?? []).map((text) => Number(text.replaceAll(',', '')));

describe('what a task costs (O6)', () => {
  const [tasks, inputTokens = 0, outputTokens = 0] = numbers(/^\| mean of (\d+) tasks \| ([\d,]+) \| ([\d,]+) \|/m);

  it('is said for the task suite as it is', () => {
    expect(tasks).toBeGreaterThanOrEqual(44);
    expect(tasks).toBeLessThanOrEqual(TASKS.length);
    expect(page).toContain('tokens of the scripted model');
  });

  it('is the tokens of the mean task times the prices of a list with a date', () => {
    const rows = [
      ...page.matchAll(
        /^\| ([^|]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \| \$([\d.]+) \| \[list of 20\d\d-\d\d-\d\d\]\(\S+\) \|$/gm,
      ),
    ];
    expect(rows.length).toBeGreaterThanOrEqual(4);
    for (const [, name, input, cachedInput, output, cost] of rows) {
      const prices = { input: Number(input), cachedInput: Number(cachedInput), output: Number(output) };
      const computed = costOf({ inputTokens, cachedInputTokens: 0, outputTokens }, prices) ?? Number.NaN;
      expect([name, computed.toFixed(4)]).toEqual([name, cost]);
    }
  });

  it('stands beside the settings of nine endpoints, and the README leads there', () => {
    const endpoints = readdirSync(join(root, 'test/fixtures/endpoints')).filter((name) => name.endsWith('.json'));
    expect(endpoints.length).toBeGreaterThanOrEqual(9);
    for (const name of endpoints) expect(page).toContain(`endpoints/${name}`);
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toMatch(
      /\[docs\/models\.md\].*which model, what a task costs/,
    );
  });
});
