/** The modes a tree entry can have: file, program, symbolic link, submodule, directory. */
export type FileMode = '100644' | '100755' | '120000' | '160000' | '040000';

const MODES: ReadonlySet<string> = new Set(['100644', '100755', '120000', '160000', '040000'] satisfies FileMode[]);

/** Whether a text is one of git's modes, as the REST API writes them (six digits). */
export function isFileMode(text: string): text is FileMode {
  return MODES.has(text);
}
