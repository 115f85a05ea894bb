import type { StoredFile } from '../../core/edits/change.ts';
import { MAX_FILE_BYTES, MAX_WHOLE_FILE_BYTES } from '../../core/edits/text/limits.ts';
import {
  findReadDenyRule,
  findWriteDenyRule,
  notReadableOutput,
  notWritableOutput,
} from '../../core/policy/path-tables.ts';
import { type CheckedPath, checkPath } from '../../core/policy/paths.ts';
import type { ToolCall } from '../../core/state/conversation.ts';
import type { GitHub, Tree } from '../../core/state/ports.ts';
import type { PullState } from '../../core/state/run.ts';
import type { ToolResult } from '../../core/state/signals.ts';
import { isPlainFileMode } from '../jobs/gather-facts.ts';
import type { Job } from '../jobs/job.ts';
import type { Offload } from '../offload/offload.ts';

/** The repository at one commit, as the agent's tools see it. */
export type Workspace = {
  readonly github: GitHub;
  readonly repo: string;
  readonly head: string;
  readonly tree: Tree;
  /** Downloads the plain files of the head once, for searches only. The result is null if the archive is too large. */
  readonly archive: () => Promise<ReadonlyMap<string, Uint8Array> | null>;
  /** The blobs that the run has read in earlier responses, by path. */
  readonly readBlobs: Readonly<Record<string, string>>;
  readonly offload: Offload;
};

/** Opens the current head of the pull request. */
export async function createWorkspace(
  job: Job<'run-tools'>,
  pull: PullState,
  readBlobs: Workspace['readBlobs'],
): Promise<Workspace> {
  const { githubApp, offload } = job.context;
  const github = githubApp.forPull(pull.ref);
  const { headSha } = await github.fetchPull();
  const tree = await github.fetchTree(headSha);
  const archive = once(() => github.fetchArchive(headSha));
  return { github, repo: pull.ref.repo, head: headSha, tree, readBlobs, archive, offload };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let cached: Promise<Value> | null = null;
  return () => {
    cached ??= make();
    return cached;
  };
}

/** A call, with the results of the preceding calls of the same response. */
export type ToolCallContext = {
  readonly workspace: Workspace;
  readonly call: ToolCall;
  readonly earlier: readonly ToolResult[];
};

/** The result of a call that only returns text. */
export function toolOutput(call: ToolCall, text: string): ToolResult {
  return { callId: call.id, kind: 'output', output: text, readBlob: null };
}

/** The limits of a tool: which rule denies a path, the text of that refusal, and the largest file. */
type PathAccess = {
  readonly deniedBy: (path: string) => string | null;
  readonly refusalText: (path: string, rule: string) => string;
  readonly limit: { readonly bytes: number; readonly verb: string };
};

export const READ_ACCESS: PathAccess = {
  deniedBy: findReadDenyRule,
  refusalText: notReadableOutput,
  limit: { bytes: MAX_FILE_BYTES, verb: 'read' },
};

export const WRITE_ACCESS = { deniedBy: findWriteDenyRule, refusalText: notWritableOutput } as const;

export const EDIT_ACCESS: PathAccess = { ...WRITE_ACCESS, limit: { bytes: MAX_FILE_BYTES, verb: 'edited or written' } };

export const WHOLE_FILE_ACCESS: PathAccess = {
  ...WRITE_ACCESS,
  limit: { bytes: MAX_WHOLE_FILE_BYTES, verb: 'deleted or moved' },
};

/** A file of an allowed path (null if there is none), or the output that refuses it. */
type FileLookup =
  | { readonly kind: 'file'; readonly path: string; readonly file: StoredFile | null }
  | { readonly kind: 'refused'; readonly output: string };

/** Checks a path from the model and fetches its file (null if there is none). Checks the size before the download. */
export async function fetchAllowedFile(workspace: Workspace, rawPath: string, access: PathAccess): Promise<FileLookup> {
  const checked = checkAccess(checkPath(rawPath, { repo: workspace.repo, tree: workspace.tree }), access);
  if (checked.kind === 'refused') return checked;
  const { path } = checked;
  const entry = workspace.tree.get(path);
  if (entry === undefined) return { kind: 'file', path, file: null };
  const { mode, sha: blob, size } = entry;
  if (!isPlainFileMode(mode)) return { kind: 'refused', output: `${path} is not a plain file.` };
  const { bytes: maxBytes, verb } = access.limit;
  if ((size ?? 0) > maxBytes)
    return { kind: 'refused', output: `${path} has ${size} bytes and at most ${maxBytes} can be ${verb}.` };
  return { kind: 'file', path, file: { ref: { blob, mode }, bytes: await workspace.github.fetchBlob(blob, size) } };
}

/** Refuses a path that a rule denies to the tool. */
export function checkAccess(
  checked: CheckedPath,
  { deniedBy, refusalText }: Pick<PathAccess, 'deniedBy' | 'refusalText'>,
): CheckedPath {
  const rule = checked.kind === 'path' ? deniedBy(checked.path) : null;
  return checked.kind === 'path' && rule !== null
    ? { kind: 'refused', output: refusalText(checked.path, rule) }
    : checked;
}

/** The output of a call for a missing file. */
export function fileNotFoundText(path: string): string {
  return `File not found: ${path}. Use list_files to see what is there.`;
}
