import { findSpeakers } from '../../core/agent/discussion.ts';
import { findDirectory, stripPathPrefixes } from '../../core/policy/paths.ts';
import type { Permission } from '../../core/state/proposal.ts';
import type { ToolRequestOf } from '../../core/state/tools.ts';
import { type ToolCallContext, type ToolOutput, toolOutput } from './workspace.ts';

/** Shows the diff of the pull request, or of one of its files or directories. */
export async function readDiff(
  { workspace, call: { toolCall: call } }: ToolCallContext,
  { path: raw }: ToolRequestOf<'read_diff'>,
): Promise<ToolOutput> {
  const files = await workspace.changedFiles();
  // A deleted file or directory is not in the tree.
  const directory = raw === null ? '' : (findDirectory(raw, workspace) ?? stripPathPrefixes(raw, workspace));
  const path = directory === '' ? null : directory;
  return toolOutput(call, await workspace.offload('formatPullDiff', { files, path }));
}

/** Shows what people and bots wrote on the pull request, and who of them has write access. */
export async function readDiscussion(
  { workspace, call: { toolCall: call } }: ToolCallContext,
  { skip }: ToolRequestOf<'read_discussion'>,
): Promise<ToolOutput> {
  const { ownLogin, task, offload } = workspace;
  const input = { discussion: await workspace.discussion(), task, ownLogin, skip };
  const permissions: Record<string, Permission> = {};
  for (const login of findSpeakers(input)) permissions[login] = await workspace.permissionOf(login);
  return toolOutput(call, await offload('formatDiscussion', { ...input, permissions }));
}
