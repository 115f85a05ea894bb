import { MOST_FILE_BYTES } from '../change/limits.ts';
import { notReadableOutput, readDenied } from '../policy/denied-path.ts';
import type { ToolCall } from '../prompt/message.ts';
import type { ToolResult } from '../run/signal.ts';
import { listResult } from '../tools/list-result.ts';
import type { ToolRequest } from '../tools/parse-call.ts';
import { type Access, findFile } from './find-file.ts';
import { output } from './output.ts';
import { searchFiles } from './search-files.ts';
import { type Serving, serveChange } from './serve-change.ts';
import { WorkGivenUp } from './work-out.ts';
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
  try {
    const parsed = await workspace.workOut('parseCall', { name: call.name, arguments: call.arguments });
    return parsed.kind === 'refused'
      ? output(call, parsed.output)
      : await serve({ workspace, call, earlier }, parsed.call);
  } catch (error) {
    if (error instanceof WorkGivenUp) return output(call, GIVEN_UP[error.why]);
    throw error;
  }
}

const REST = 'Nothing was executed. Make smaller calls: less text at once, or fewer places.';
const GIVEN_UP = {
  time: `Given up: this call took too long to work out. ${REST}`,
  crash: `Given up: this call could not be worked out. ${REST}`,
} as const satisfies Record<WorkGivenUp['why'], string>;

function serve(serving: Serving, request: ToolRequest): Promise<ToolResult> | ToolResult {
  const { workspace, call } = serving;
  switch (request.tool) {
    case 'read_file':
      return readFile(workspace, call, request);
    case 'list_files':
      return output(call, listResult(workspace.tree, request.glob));
    case 'search':
      return search(serving, request);
    case 'edit_file':
    case 'write_file':
    case 'delete_file':
    case 'move_file':
      return serveChange(serving, request);
  }
}

async function search(
  { workspace, call }: Serving,
  { pattern, glob }: Extract<ToolRequest, { tool: 'search' }>,
): Promise<ToolResult> {
  return output(call, await searchFiles(workspace, pattern, glob));
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
  const text = await workspace.workOut('readResult', { path, blob, bytes: file.bytes, start, end });
  return { callId: call.id, kind: 'output', output: text, read: { path, blob } };
}
