import type { Built } from '../change/build-edit.ts';
import type { Change } from '../change/change.ts';
import { MOST_FILE_BYTES, MOST_WHOLE_FILE_BYTES } from '../change/limits.ts';
import type { StoredFile } from '../change/refusals.ts';
import type { Sought } from '../policy/batch-conflict.ts';
import { notWritableOutput, writeDenied } from '../policy/denied-path.ts';
import { checkTarget } from '../policy/path.ts';
import type { ToolCall } from '../prompt/message.ts';
import type { ToolResult } from '../run/signal.ts';
import type { GatedTool } from '../tools/definitions.ts';
import type { ToolRequest } from '../tools/parse-call.ts';
import { type Access, allowed, findFile } from './find-file.ts';
import { output } from './output.ts';
import type { Workspace } from './workspace.ts';

/** A call that waits for people. */
export type ChangeRequest = Extract<ToolRequest, { tool: GatedTool }>;
type Request<Tool extends GatedTool> = Extract<ToolRequest, { tool: Tool }>;

/** A call of a run, with the results of the calls before it in the same response. */
export type Serving = {
  readonly workspace: Workspace;
  readonly call: ToolCall;
  readonly earlier: readonly ToolResult[];
};

const WRITABLE = { denied: writeDenied, word: notWritableOutput } as const;
const REWRITTEN: Access = { ...WRITABLE, most: { bytes: MOST_FILE_BYTES, verb: 'edited or written' } };
const TAKEN_WHOLE: Access = { ...WRITABLE, most: { bytes: MOST_WHOLE_FILE_BYTES, verb: 'deleted or moved' } };

/** The change that a call asks for, or what the model is told instead. */
export async function serveChange(serving: Serving, request: ChangeRequest): Promise<ToolResult> {
  switch (request.tool) {
    case 'edit_file':
      return editFile(serving, request);
    case 'write_file':
      return writeFile(serving, request);
    case 'delete_file':
      return deleteFile(serving, request);
    case 'move_file':
      return moveFile(serving, request);
  }
}

async function editFile(serving: Serving, request: Request<'edit_file'>): Promise<ToolResult> {
  const { workspace, call } = serving;
  const found = await findFile(workspace, request.path, REWRITTEN);
  if (found.kind === 'refused') return output(call, found.output);
  const { path, file } = found;
  const { oldString, newString, replaceAll } = request;
  if (file === null) {
    const notFound = `File not found: ${path}. Use write_file to create it.`;
    return (await dependence(serving, path, null, oldString)) ?? output(call, notFound);
  }
  const edit = { path, sandbox: workspace.repo, file, oldString, newString, replaceAll };
  const built = await workspace.workOut('buildEdit', edit);
  if (built.kind === 'refused') return (await dependence(serving, path, file, oldString)) ?? output(call, built.output);
  return proposed(call, request, built);
}

async function writeFile({ workspace, call, earlier }: Serving, request: Request<'write_file'>): Promise<ToolResult> {
  const found = await findFile(workspace, request.path, REWRITTEN);
  if (found.kind === 'refused') return output(call, found.output);
  const { path, file } = found;
  const seenBlob = readSoFar(workspace, path, earlier);
  const { content } = request;
  return proposed(
    call,
    request,
    await workspace.workOut('buildWrite', { path, sandbox: workspace.repo, file, content, seenBlob }),
  );
}

async function deleteFile({ workspace, call }: Serving, request: Request<'delete_file'>): Promise<ToolResult> {
  const found = await findFile(workspace, request.path, TAKEN_WHOLE);
  if (found.kind === 'refused') return output(call, found.output);
  const { path, file } = found;
  if (file === null) return output(call, notThere(path));
  return proposed(call, request, await workspace.workOut('buildDelete', { path, sandbox: workspace.repo, file }));
}

async function moveFile({ workspace, call }: Serving, request: Request<'move_file'>): Promise<ToolResult> {
  const found = await findFile(workspace, request.from, TAKEN_WHOLE);
  if (found.kind === 'refused') return output(call, found.output);
  const { path: from, file } = found;
  if (file === null) return output(call, notThere(from));
  const target = allowed(checkTarget(request.to, from, workspace), WRITABLE);
  if (target.kind === 'refused') return output(call, target.output);
  const { path: to } = target;
  return proposed(call, request, await workspace.workOut('buildMove', { from, to, sandbox: workspace.repo, file }));
}

function notThere(path: string): string {
  return `File not found: ${path}. Use list_files to see what is there.`;
}

function proposed(call: ToolCall, request: ChangeRequest, built: Built): ToolResult {
  if (built.kind === 'refused') return output(call, built.output);
  return { callId: call.id, kind: 'change', tool: request.tool, reason: request.reason, change: built.change };
}

/** The blob of this path that the run read last, a read of the same response included. */
function readSoFar(workspace: Workspace, path: string, earlier: readonly ToolResult[]): string | null {
  const now = earlier.findLast((result) => result.kind === 'output' && result.read?.path === path);
  if (now?.kind === 'output' && now.read !== null) return now.read.blob;
  return Object.hasOwn(workspace.read, path) ? (workspace.read[path] ?? null) : null;
}

/** An edit whose text only an earlier, undecided change of this response would bring (T15), into a file that may not be there yet. */
async function dependence(
  { workspace, call, earlier }: Serving,
  path: string,
  file: StoredFile | null,
  sought: string,
): Promise<ToolResult | null> {
  const changes = earlier.flatMap((one) => (one.kind === 'change' && one.change.path === path ? [one] : []));
  const bytes = file?.bytes ?? NOTHING;
  const stands = (after: Omit<Sought, 'sought'>) => workspace.workOut('standsAfter', { ...after, sought });
  if (changes.length === 0 || (await stands({ bytes, region: null }))) return null;
  // One after the other: many at once would be much to copy.
  for (const { callId, change } of changes) {
    const after = await broughtBy(workspace, change, bytes);
    if (after !== null && (await stands(after))) return { callId: call.id, kind: 'depends', path, onCallId: callId };
  }
  return null;
}

const NOTHING = new Uint8Array();

/** What a change would leave at its path, as the bytes and the region that come to it; null where that is no text. */
async function broughtBy(
  { github }: Workspace,
  { op, base, region }: Change,
  bytes: Uint8Array,
): Promise<Omit<Sought, 'sought'> | null> {
  if (op === 'move' && base !== null) return { bytes: await github.blob(base.blob), region };
  return region === null ? null : { bytes, region };
}
