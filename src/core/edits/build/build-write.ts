import type { StoredFile } from '../change.ts';
import { BYTE_ORDER_MARK } from '../text/characters.ts';
import { dominantLineEnding, keepLineEndings } from '../text/line-endings.ts';
import { countLines } from '../text/lines.ts';
import { type BuildResult, buildChange } from './build-change.ts';
import { editableVersion, refuse, textVersion } from './file-version.ts';

/**
 * A `write_file` call. The path is already checked. `file` is null if the path is free; `lastReadBlob` is the blob at
 * this path that the run read last.
 */
export type WriteInput = {
  readonly path: string;
  readonly repositoryName: string;
  readonly file: StoredFile | null;
  readonly content: string;
  readonly lastReadBlob: string | null;
};

/** Builds the change of a `write_file` call. Finds every error here, before people are asked. */
export function buildWrite({ path, repositoryName, file, content, lastReadBlob }: WriteInput): BuildResult {
  const existing = file === null ? null : editableVersion(path, file);
  if (existing?.kind === 'refused') return existing;
  const before = existing?.version ?? null;
  if (before !== null && lastReadBlob !== before.ref.blob) {
    const lines = countLines(before.text);
    return refuse(
      `Not proposed: ${path} exists (${lines} lines) and this run has not read its current version. Read it with read_file first.`,
    );
  }
  const text = before === null ? content : keepFileEncoding(before.text, content);
  const written = textVersion(path, text, before?.ref.mode ?? '100644');
  if (written.kind === 'refused') return written;
  return buildChange({ op: 'write', path, repositoryName, before, after: written.version });
}

/**
 * Models never see byte order marks and CRs, so their content lacks them. Restores both, so that unchanged lines keep
 * their bytes. Content with CRLF of its own stays as it is.
 */
function keepFileEncoding(existing: string, content: string): string {
  const addsMark = existing.startsWith(BYTE_ORDER_MARK) && !content.startsWith(BYTE_ORDER_MARK);
  const text = addsMark && content !== '' ? BYTE_ORDER_MARK + content : content;
  if (!existing.includes('\r\n') || text.includes('\r\n')) return text;
  return keepLineEndings(existing, text, dominantLineEnding(existing));
}
