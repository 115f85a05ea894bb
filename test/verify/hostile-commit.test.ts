import { describe, expect, it } from 'vitest';
import { parseCommit } from '../../src/git/commit.ts';
import { cpuSeconds } from '../cpu-time.ts';

describe('H12: a commit object that somebody made by hand', () => {
  it('is read in linear time', () => {
    const bytes = Buffer.from(`tree 0\nauthor ${'<'.repeat(200_000)}\n\nhi`);
    expect(cpuSeconds(() => parseCommit(bytes))).toBeLessThan(5);
  });

  it.each([
    ['Ana B <ana@example.com> 1 +0000', 'Ana B', 'ana@example.com'],
    ['<ana@example.com> 1 +0000', '', 'ana@example.com'],
    ['Ana <', '', ''],
  ])('is by whom it says: %s', (line, name, email) => {
    expect(parseCommit(Buffer.from(`author ${line}\n\nhi`)).author).toEqual({ name, email });
  });
});
