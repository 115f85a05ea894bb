import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** A new folder, which is deleted after the tests of the file or suite. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
