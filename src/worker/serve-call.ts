import { setImmediate as breath } from 'node:timers/promises';
import { MOST_FILE_BYTES } from '../change/limits.ts';
import { notReadableOutput, readDenied } from '../policy/denied-path.ts';
import type { ToolCall } from '../prompt/message.ts';
import type { ToolResult } from '../run/signal.ts';
import { listResult } from '../tools/list-result.ts';
import { parseCall, type ToolRequest } from '../tools/parse-call.ts';
import { readResult } from '../tools/read-result.ts';
import { type Access, findFile } from './find-file.ts';
import { output } from './output.ts';
import { searchFiles } from './search-files.ts';
import { serveChange } from './serve-change.ts';
import type { Workspace } from './workspace.ts';

const READABLE: Access = {
  denied: readDenied,
  word: notReadableOutput,
  most: { bytes: MOST_FILE_BYTES, verb: 'read' },
};

/** What one call comes to. `earlier` are the results of the calls before it in the same response. */
export async function serveCall(
  workspace: Workspace,
  call: ToolCall,
  earlier: readonly ToolResult[],
): Promise<ToolResult> {
  const parsed = parseCall(call);
  if (parsed.kind === 'refused') return output(call, parsed.output);
  const request = parsed.call;
  // Reading long arguments may take as long as serving them.
  await breath();
  switch (request.tool) {
    case 'read_file':
      return readFile(workspace, call, request);
    case 'list_files':
      return output(call, listResult(workspace.tree, request.glob));
    case 'search':
      return output(call, await searchFiles(workspace, request.pattern, request.glob));
    case 'edit_file':
    case 'write_file':
    case 'delete_file':
    case 'move_file':
      return serveChange({ workspace, call, earlier }, request);
  }
}

async function readFile(
  workspace: Workspace,
  call: ToolCall,
  { path: raw, start, end }: Extract<ToolRequest, { tool: 'read_file' }>,
): Promise<ToolResult> {
  const found = await findFile(workspace, raw, READABLE);
  if (found.kind === 'refused') return output(call, found.output);
  const { path, file } = found;
  if (file === null) return output(call, `File not found: ${path}. Use list_files to see what is there.`);
  const { blob } = file.ref;
  const text = readResult({ path, blob, bytes: file.bytes, start, end });
  return { callId: call.id, kind: 'output', output: text, read: { path, blob } };
}
