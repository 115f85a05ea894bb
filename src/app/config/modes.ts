import { statSync } from 'node:fs';

/** The mode of a file or directory; null if it is missing or hidden. */
export type ReadMode = (path: string) => number | null;

/** Reads a mode from the file system. */
export function readMode(path: string): number | null {
  try {
    return statSync(path).mode;
  } catch {
    return null;
  }
}

/** The mode's permission bits in octal if group or others have any of them, else null. */
export function sharedPermissions(mode: number): string | null {
  return (mode & 0o077) === 0 ? null : (mode & 0o777).toString(8).padStart(4, '0');
}
