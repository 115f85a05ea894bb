import type { EditRequest } from './apply-edit.ts';
import { type BuildResult, buildEdit } from './build-edit.ts';
import { buildWrite, type WriteInput } from './build-write.ts';
import { checkAddedText, refuse } from './refusals.ts';

/** The change that one call makes to the text of a file. */
export type TextStep =
  | { readonly kind: 'edits'; readonly edits: readonly EditRequest[] }
  | { readonly kind: 'content'; readonly content: string };

/** A call on one file. The path is already checked; `file` is null if the path is free. */
type TextInput = Omit<WriteInput, 'content' | 'mode'> & { readonly step: TextStep };

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
