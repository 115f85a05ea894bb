import type { FileChange, StoredFile } from '../change.ts';
import { findAddedHidden, nameHidden } from '../misleading-text.ts';
import { BYTE_ORDER_MARK } from '../text/characters.ts';
import { dominantLineEnding, keepLineEndings } from '../text/line-endings.ts';
import { createLineTable, lineIndexAt, linesAt } from '../text/line-table.ts';
import { countLines } from '../text/lines.ts';
import { type BuildResult, buildChange, contextText, type EditDetails } from './build-change.ts';
import { editableVersion, refuse, textVersion } from './file-version.ts';
import { type EditedText, type EditRequest, replaceText } from './replace-text.ts';

/** The change that one call makes to the text of a file. */
export type TextStep =
  | { readonly kind: 'edits'; readonly edits: readonly EditRequest[] }
  | { readonly kind: 'content'; readonly content: string };

/** A call on one file. The path is already checked; `file` is null if the path is free. */
type TextInput = Omit<WriteInput, 'content'> & { readonly step: TextStep };

/** Builds the change of one call to the text of a file. */
export function buildText({ step, ...input }: TextInput): BuildResult {
  const built = buildStep(step, input);
  const refusal = built.kind === 'change' ? checkAddedText(built.change) : null;
  return refusal === null ? built : refuse(refusal);
}

function buildStep(step: TextStep, input: Omit<TextInput, 'step'>): BuildResult {
  const { path, file, repositoryName } = input;
  if (step.kind === 'content') return buildWrite({ ...input, content: step.content });
  return file === null
    ? refuse(`File not found: ${path}. Use write_file to create it.`)
    : buildEdit({ path, repositoryName, file, edits: step.edits });
}

/** Why the model cannot propose the text that a change adds: nobody would see a part of it. Null if it can. */
function checkAddedText({ path, region }: FileChange): string | null {
  const hidden = region === null ? null : findAddedHidden(region);
  if (hidden === null) return null;
  return `Not proposed: the new text of ${path} has ${nameHidden(hidden)}, which nobody sees. Write it as an escape of the language, or leave it out.`;
}

/** Edits of a stored file, made in order as one change. The path is already checked. */
type EditInput = {
  readonly path: string;
  readonly repositoryName: string;
  readonly file: StoredFile;
  readonly edits: readonly EditRequest[];
};

/** Builds the change of an `edit_file` call. Finds every error here, before people are asked. */
export function buildEdit({ path, repositoryName, file, edits }: EditInput): BuildResult {
  const editable = editableVersion(path, file);
  if (editable.kind === 'refused') return editable;
  const { version: before } = editable;
  let { text } = before;
  let details: Partial<EditDetails> = { match_count: 0 };
  for (const [index, edit] of edits.entries()) {
    const result = replaceText(path, text, edit);
    if (result.kind === 'refused')
      return edits.length === 1 ? result : refuse(`Edit ${index + 1} of ${edits.length}: ${result.output}`);
    const match_count = (details.match_count ?? 0) + result.matchCount;
    details = edits.length === 1 ? detailsOf(text, edit, result) : { match_count };
    text = result.text;
  }
  const edited = textVersion(path, text, file.ref.mode);
  if (edited.kind === 'refused') return edited;
  return buildChange({ op: 'edit', path, repositoryName, before, after: edited.version, details });
}

/** The texts of the only edit, and the place of its first match. */
function detailsOf(text: string, edit: EditRequest, { matchCount, first }: EditedText): EditDetails {
  const lines = createLineTable(text);
  const index = lineIndexAt(lines, first.start);
  const end = index + countLines(text.slice(first.start, first.end));
  return {
    old_string: edit.oldString,
    new_string: edit.newString,
    replace_all: edit.replaceAll,
    match_line: index + 1,
    match_count: matchCount,
    context_before: contextText(linesAt(lines, index - 3, index)),
    context_after: contextText(linesAt(lines, end, end + 3)),
  };
}

/**
 * A `write_file` call. The path is already checked. `file` is null if the path is free; `lastReadBlob` is the blob at
 * this path that the run read last.
 */
type WriteInput = {
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
