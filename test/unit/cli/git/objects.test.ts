import { describe, expect, it } from 'vitest';
import { parseCommit } from '../../../../src/cli/git/objects.ts';
import { cpuSeconds } from '../../../support/cpu-time.ts';

describe('a handmade commit object (H12)', () => {
  it('is read in linear time', () => {
    const bytes = Buffer.from(`tree 0\nauthor ${'<'.repeat(200_000)}\n\nhi`);
    expect(cpuSeconds(() => parseCommit(bytes))).toBeLessThan(5);
  });

  it.each([
    ['Ana B <ana@example.com> 1 +0000', 'Ana B', 'ana@example.com'],
    ['<ana@example.com> 1 +0000', '', 'ana@example.com'],
    ['Ana <', '', ''],
  ])('is attributed to its stated author: %s', (line, name, email) => {
    expect(parseCommit(Buffer.from(`author ${line}\n\nhi`)).author).toEqual({ name, email });
  });
});
