import type { BuildResult } from '../../../../../src/core/edits/build/build-change.ts';
import { buildEdit, buildWrite } from '../../../../../src/core/edits/build/build-text.ts';
import { stored } from '../samples.ts';

/** The file that the calls below change. */
export const path = 'src/total.ts';

export const repositoryName = 'shop';

/** Builds an edit of the file with this text. */
export function edit(text: string, oldString: string, newString: string, replaceAll = false): BuildResult {
  return buildEdit({ path, repositoryName, file: stored(text), edits: [{ oldString, newString, replaceAll }] });
}

/** Builds a write of the file over a text that the model has seen, or of a new file. */
export function write(existing: string | null, content: string, seen = true): BuildResult {
  const file = existing === null ? null : stored(existing);
  return buildWrite({
    path,
    repositoryName,
    file,
    content,
    lastReadBlob: seen ? (file?.ref.blob ?? null) : null,
  });
}

/** The words about a refusal for the model. */
export function output(built: BuildResult): string {
  return built.kind === 'refused' ? built.output : 'not refused';
}
