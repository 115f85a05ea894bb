import { readFileSync, statSync } from 'node:fs';
import type { KeyFile } from './private-key.ts';

/** Reads a small text file and its permission bits; throws what the file system throws. */
export function readKey(path: string): KeyFile {
  return { text: readFileSync(path, 'utf8'), mode: statSync(path).mode };
}
