import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of `package.json`: sources lie at several depths below it, and built files in `dist`. */
export const PACKAGE_ROOT = findRoot(import.meta.dirname);

function findRoot(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : findRoot(dirname(folder));
}
