import { redact } from '../../../lib/credentials.ts';
import { byteLength, decodeText, escapeHiddenCharacters } from '../../edits/text/characters.ts';
import { decideReading } from '../../policy/path-policy.ts';
import { entryKind } from '../../policy/paths.ts';
import type { PathRules } from '../../state/settings.ts';
import { CONTEXT_LIMITS, type InstructionFile } from '../../state/task-context.ts';
import type { Tree, TreeEntry } from '../../step/ports.ts';
import { cleanText, headOf } from '../shared/clean-text.ts';

/** The name that stands for the file at the root and for those in directories above changed files. */
const NESTED_NAME = 'AGENTS.md';

/** A file with instructions: its blob, or why it cannot be read. */
type InstructionSource =
  | { readonly kind: 'blob'; readonly path: string; readonly entry: TreeEntry }
  | { readonly kind: 'refused'; readonly path: string; readonly note: string };

/**
 * The files with instructions in a tree, those of upper directories first. A path that the settings name, and that is
 * no readable file, gets a note; a missing `AGENTS.md` does not.
 */
export function findInstructions(
  tree: Tree,
  contextFiles: readonly string[],
  changedPaths: readonly string[],
  rules: PathRules,
): readonly InstructionSource[] {
  const paths = new Set(
    contextFiles.flatMap((path) => (path === NESTED_NAME ? nestedPaths(tree, changedPaths) : [path])),
  );
  return [...paths].slice(0, CONTEXT_LIMITS.instructionFileCount).map((path) => sourceAt(tree, path, rules));
}

function nestedPaths(tree: Tree, changedPaths: readonly string[]): readonly string[] {
  const directories = new Set(changedPaths.flatMap(directoriesAbove));
  const nested = [...directories].map((directory) => `${directory}/${NESTED_NAME}`);
  return [NESTED_NAME, ...nested.sort(byDepth)].filter((path) => tree.has(path));
}

function directoriesAbove(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

function byDepth(left: string, right: string): number {
  return left.split('/').length - right.split('/').length || (left < right ? -1 : 1);
}

function sourceAt(tree: Tree, path: string, rules: PathRules): InstructionSource {
  const entry = tree.get(path);
  const note = refusalOf(path, entry, rules);
  return note !== null || entry === undefined
    ? { kind: 'refused', path, note: note ?? MISSING_NOTE }
    : { kind: 'blob', path, entry };
}

const MISSING_NOTE = 'does not exist on the default branch';

function refusalOf(path: string, entry: TreeEntry | undefined, rules: PathRules): string | null {
  const { kind } = decideReading(rules, 'read_file', path);
  if (kind === 'deny') return 'is a file that no tool reads';
  if (kind === 'ask') return 'is a file that people must first approve to be read; read_file asks them';
  if (entry === undefined) return MISSING_NOTE;
  if (entryKind(entry) !== 'file') return 'is not a plain file';
  const { size } = entry;
  return (size ?? 0) > CONTEXT_LIMITS.instructionFile ? `has ${size} bytes, which is too much to be read` : null;
}

const PROSE_NAME = /(?:^|\/)[^./]+$|\.(?:md|mdx|markdown|txt|rst|adoc)$/i;

type InstructionBytes = { readonly path: string; readonly bytes: Uint8Array };

/** A file's text as people see it: prose loses what is hidden, code shows it escaped. Secrets are masked. */
export function readInstructions({ path, bytes }: InstructionBytes): InstructionFile {
  const decoded = decodeText(bytes);
  if (decoded.kind !== 'text') return { path, text: '', note: 'is not text in UTF-8' };
  const redacted = redact(decoded.text);
  const text = PROSE_NAME.test(path) ? cleanText(redacted) : escapeHiddenCharacters(redacted, true);
  return { path, text, note: null };
}

/** All files within the limit together; what does not fit is cut with a note. */
export function boundInstructions(files: readonly InstructionFile[]): readonly InstructionFile[] {
  let remaining: number = CONTEXT_LIMITS.instructions;
  return files.map((file) => {
    const bytes = byteLength(file.text);
    if (bytes <= remaining) {
      remaining -= bytes;
      return file;
    }
    const text = headOf(file.text, remaining);
    remaining = 0;
    return { ...file, text, note: `is cut: ${byteLength(text)} of ${bytes} bytes are shown` };
  });
}
