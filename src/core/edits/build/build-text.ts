import type { FileChange } from '../change.ts';
import { findAddedHidden, nameHidden } from '../misleading-text.ts';
import type { BuildResult } from './build-change.ts';
import { buildEdit } from './build-edit.ts';
import { buildWrite, type WriteInput } from './build-write.ts';
import { refuse } from './file-version.ts';
import type { EditRequest } from './replace-text.ts';

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
