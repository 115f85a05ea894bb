import type { StoredFile } from '../change.ts';
import { createLineTable, lineIndexAt, linesAt } from '../text/line-table.ts';
import { countLines } from '../text/lines.ts';
import { type BuildResult, buildChange, contextText, type EditDetails } from './build-change.ts';
import { editableVersion, refuse, textVersion } from './file-version.ts';
import { type EditedText, type EditRequest, replaceText } from './replace-text.ts';

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
