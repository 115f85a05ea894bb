import { createLineTable } from '../text/line-table.ts';
import type { EditRequest } from './apply-edit.ts';
import { applyEdits } from './apply-edits.ts';
import { type BuildResult, buildEdit, describeRefusedEdit } from './build-edit.ts';
import { buildWrite, type WriteInput } from './build-write.ts';
import { checkAddedText, refuse } from './refusals.ts';

/** The change that one call makes to the text of a file. */
export type TextStep =
  | { readonly kind: 'edits'; readonly edits: readonly EditRequest[] }
  | { readonly kind: 'content'; readonly content: string };

/** Calls on one file, in order, as one change. The path is already checked; `file` is null if the path is free. */
export type TextInput = Omit<WriteInput, 'content' | 'mode'> & { readonly steps: readonly TextStep[] };

/** Builds one change from calls on one file: from the file as it is to its final text. */
export function buildText(input: TextInput): BuildResult {
  const built = buildSteps(input);
  const refusal = built.kind === 'change' ? checkAddedText(built.change) : null;
  return refusal === null ? built : refuse(refusal);
}

function buildSteps({ steps, ...input }: TextInput): BuildResult {
  const { path, file, repositoryName } = input;
  const written = steps.findLastIndex((step) => step.kind === 'content');
  const content = steps[written];
  const edits = steps.slice(written + 1).flatMap((step) => (step.kind === 'edits' ? step.edits : []));
  if (content?.kind !== 'content') {
    return file === null
      ? refuse(`File not found: ${path}. Use write_file to create it.`)
      : buildEdit({ path, repositoryName, file, edits });
  }
  if (edits.length === 0) return buildWrite({ ...input, content: content.content });
  const base = createLineTable(content.content);
  const edited = applyEdits(base, edits);
  if (edited.kind === 'refused') return refuse(describeRefusedEdit(path, edited.refusal));
  const { start, end, text } = edited.combinedSpan;
  return buildWrite({ ...input, content: base.text.slice(0, start) + text + base.text.slice(end) });
}
