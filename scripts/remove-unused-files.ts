/**
 * Removes from an installation without development tools what Node never loads there: declarations, source maps and
 * TypeScript of packages, half of all bytes. npm runs it after `npm ci --omit=dev`.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Node refuses TypeScript in `node_modules`, and reads source maps only with an option that nothing here sets. */
const UNUSED = /\.(?:map|[cm]?ts)$/;

const modules = join(import.meta.dirname, '../node_modules');

/** The files of packages that Node never loads. */
function unusedFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && UNUSED.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

// Only the compiler and the tests want these files, so they stay where the compiler is.
if (existsSync(modules) && !existsSync(join(modules, 'typescript')))
  for (const file of unusedFiles(modules)) rmSync(file);
