import type { ReadingToolName, ToolName, ToolRequestOf } from '../../../core/state/tools.ts';
import { listFiles, outlineFile, readDiff, readDiscussion, readFile } from './read-tools.ts';
import { search } from './search-repository.ts';
import type { DraftResult, ToolCallContext, ToolOutput } from './workspace.ts';

/** Runs a valid call. */
export type ToolHandler<Name extends ToolName, Result = DraftResult> = (
  context: ToolCallContext,
  request: ToolRequestOf<Name>,
) => Promise<Result> | Result;

/** The tools that read. Their results are text, so none of them can change anything. */
export const READING_HANDLERS: { readonly [Name in ReadingToolName]: ToolHandler<Name, ToolOutput> } = {
  read_file: readFile,
  list_files: listFiles,
  search,
  outline: outlineFile,
  read_diff: readDiff,
  read_discussion: readDiscussion,
};
