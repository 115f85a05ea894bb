import { type Built, buildEdit } from '../change/build-edit.ts';
import { buildWrite } from '../change/build-write.ts';
import { MOST_FILE_BYTES } from '../change/limits.ts';
import type { StoredFile } from '../change/refusals.ts';
import { decodeText } from '../change/text.ts';
import { changeThatBrings } from '../policy/batch-conflict.ts';
import { notReadableOutput, notWritableOutput, readDenied, writeDenied } from '../policy/denied-path.ts';
import { checkPath } from '../policy/path.ts';
import type { ToolCall } from '../prompt/message.ts';
import type { ToolResult } from '../run/signal.ts';
import { listResult } from '../tools/list-result.ts';
import { parseCall, type ToolRequest } from '../tools/parse-call.ts';
import { readResult } from '../tools/read-result.ts';
import { searchFiles } from './search-files.ts';
import type { Workspace } from './workspace.ts';

type Request<Tool extends ToolRequest['tool']> = Extract<ToolRequest, { tool: Tool }>;

/** What one call comes to. `earlier` are the results of the calls before it in the same response. */
export async function serveCall(
  workspace: Workspace,
  call: ToolCall,
  earlier: readonly ToolResult[],
): Promise<ToolResult> {
  const parsed = parseCall(call);
  if (parsed.kind === 'refused') return output(call, parsed.output);
  const request = parsed.call;
  switch (request.tool) {
    case 'read_file':
      return readFile(workspace, call, request);
    case 'list_files':
      return output(call, listResult(workspace.tree, request.glob));
    case 'search':
      return output(call, await searchFiles(workspace, request.pattern, request.glob));
    case 'edit_file':
      return editFile(workspace, call, request, earlier);
    case 'write_file':
      return writeFile(workspace, call, request, earlier);
  }
}

/** A call that is answered with a text and nothing else. */
export function output(call: ToolCall, text: string): ToolResult {
  return { callId: call.id, kind: 'output', output: text, read: null };
}

async function readFile(workspace: Workspace, call: ToolCall, request: Request<'read_file'>): Promise<ToolResult> {
  const found = await find(workspace, request.path, readDenied, notReadableOutput);
  if (found.kind === 'refused') return output(call, found.output);
  const { path, file } = found;
  if (file === null) return output(call, `File not found: ${path}. Use list_files to see what is there.`);
  const { blob } = file.ref;
  const { start, end } = request;
  const text = readResult({ path, blob, bytes: file.bytes, start, end });
  return { callId: call.id, kind: 'output', output: text, read: { path, blob } };
}

async function editFile(
  workspace: Workspace,
  call: ToolCall,
  request: Request<'edit_file'>,
  earlier: readonly ToolResult[],
): Promise<ToolResult> {
  const found = await find(workspace, request.path, writeDenied, notWritableOutput);
  if (found.kind === 'refused') return output(call, found.output);
  const { path, file } = found;
  if (file === null) return output(call, `File not found: ${path}. Use write_file to create it.`);
  const built = buildEdit({ ...request, path, sandbox: workspace.repo, file });
  if (built.kind === 'refused')
    return dependence(call, path, file, request.oldString, earlier) ?? output(call, built.output);
  return proposed(call, request, built);
}

async function writeFile(
  workspace: Workspace,
  call: ToolCall,
  request: Request<'write_file'>,
  earlier: readonly ToolResult[],
): Promise<ToolResult> {
  const found = await find(workspace, request.path, writeDenied, notWritableOutput);
  if (found.kind === 'refused') return output(call, found.output);
  const { path, file } = found;
  const seenBlob = readSoFar(workspace, path, earlier);
  return proposed(
    call,
    request,
    buildWrite({ path, sandbox: workspace.repo, file, content: request.content, seenBlob }),
  );
}

function proposed(call: ToolCall, request: Request<'edit_file' | 'write_file'>, built: Built): ToolResult {
  if (built.kind === 'refused') return output(call, built.output);
  return { callId: call.id, kind: 'change', tool: request.tool, reason: request.reason, change: built.change };
}

/** The blob of this path that the run read last, a read of the same response included. */
function readSoFar(workspace: Workspace, path: string, earlier: readonly ToolResult[]): string | null {
  const now = earlier.findLast((result) => result.kind === 'output' && result.read?.path === path);
  if (now?.kind === 'output' && now.read !== null) return now.read.blob;
  return Object.hasOwn(workspace.read, path) ? (workspace.read[path] ?? null) : null;
}

/** An edit whose text only an earlier, undecided change of this response would bring (T15). */
function dependence(
  call: ToolCall,
  path: string,
  file: StoredFile,
  sought: string,
  earlier: readonly ToolResult[],
): ToolResult | null {
  const decoded = decodeText(file.bytes);
  if (decoded.kind !== 'text' || sought === '' || decoded.text.includes(sought)) return null;
  const changes = earlier.flatMap((one) => (one.kind === 'change' ? [{ id: one.callId, change: one.change }] : []));
  const on = changeThatBrings(path, decoded.text, sought, changes);
  return on === null ? null : { callId: call.id, kind: 'depends', path, onCallId: on.id };
}

type Found =
  | { readonly kind: 'file'; readonly path: string; readonly file: StoredFile | null }
  | { readonly kind: 'refused'; readonly output: string };

/** A path that may be touched, with the file that stands there, if any. Sizes are checked before anything is fetched. */
async function find(
  workspace: Workspace,
  raw: string,
  denied: (path: string) => string | null,
  word: (path: string, rule: string) => string,
): Promise<Found> {
  const checked = checkPath(raw, { repo: workspace.repo, tree: workspace.tree });
  if (checked.kind === 'refused') return checked;
  const { path } = checked;
  const rule = denied(path);
  if (rule !== null) return { kind: 'refused', output: word(path, rule) };
  const entry = workspace.tree.get(path);
  if (entry === undefined) return { kind: 'file', path, file: null };
  if (entry.mode !== '100644' && entry.mode !== '100755')
    return { kind: 'refused', output: `${path} is not a plain file.` };
  if ((entry.size ?? 0) > MOST_FILE_BYTES) return { kind: 'refused', output: tooLarge(path, entry.size ?? 0) };
  const bytes = await workspace.github.blob(entry.sha);
  return { kind: 'file', path, file: { ref: { blob: entry.sha, mode: entry.mode }, bytes } };
}

function tooLarge(path: string, bytes: number): string {
  return `${path} has ${bytes} bytes and at most ${MOST_FILE_BYTES} can be read or changed.`;
}
