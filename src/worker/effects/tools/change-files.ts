import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { fileNotFoundText } from '../../../core/agent/shared/file-list.ts';
import { buildSet, type TouchedPath } from '../../../core/edits/build/build-files.ts';
import { buildText } from '../../../core/edits/build/build-text.ts';
import type { Change, StoredFile } from '../../../core/edits/change.ts';
import { applyChange } from '../../../core/edits/change-set.ts';
import { areMembersTouching } from '../../../core/policy/earlier-changes.ts';
import { CHANGE_TOOLS, MOVE_TOOLS } from '../../../core/policy/path-policy.ts';
import { checkMoveTarget, checkPath, pathAndParents } from '../../../core/policy/paths.ts';
import { callRefOf } from '../../../core/state/conversation.ts';
import type { OneChange, ToolRequestOf } from '../../../core/state/tools.ts';
import type { TreeEntry } from '../../../core/step/ports.ts';
import type { ToolResult } from '../../../core/step/signals.ts';
import { lastReadBlob } from './propose-change.ts';
import {
  checkAccess,
  editAccess,
  fetchAllowedFile,
  type ToolCallContext,
  toolOutput,
  type Workspace,
  wholeFileAccess,
  writeAccess,
} from './workspace.ts';

/** The tree after a change, or why it cannot be made. */
type ChangeOutcome = { readonly kind: 'made'; readonly draft: DraftTree } | Refused;

type Refused = { readonly kind: 'refused'; readonly output: string };

/**
 * Makes the changes in order in a draft of the head, and proposes what they come to as one. If one cannot be made,
 * nothing of the call is proposed.
 */
export async function changeFiles(
  context: ToolCallContext,
  request: ToolRequestOf<'change_files'>,
): Promise<ToolResult> {
  const { call, workspace } = context;
  const { changes, summary } = request;
  let draft: DraftTree = { workspace, tree: new Map(workspace.tree), files: new Map(), before: new Map() };
  for (const [index, change] of changes.entries()) {
    await yieldToEventLoop();
    const outcome = await makeChange(context, draft, change);
    if (outcome.kind === 'refused') {
      const output = `Change ${index + 1} of ${changes.length} cannot be made, so nothing of this call was proposed. ${outcome.output}`;
      return toolOutput(call.toolCall, output);
    }
    draft = outcome.draft;
  }
  const touched = touchedPaths(draft);
  const built = buildSet({ summary, repositoryName: workspace.repo, touched });
  if (built.kind === 'refused') return toolOutput(call.toolCall, built.output);
  const { change } = built;
  const shared = findSharedPath(change);
  if (shared !== null)
    return toolOutput(call.toolCall, `Not proposed: these changes touch ${shared} in ways that cannot be separated.`);
  // The page of a single change has no place for a summary but that of its reason.
  const reason = change.summary === null ? summary : null;
  return { callId: call.toolCall.id, kind: 'change', calls: [callRefOf(call)], tool: request.tool, reason, change };
}

function makeChange(context: ToolCallContext, draft: DraftTree, change: OneChange): Promise<ChangeOutcome> {
  switch (change.op) {
    case 'edit':
    case 'write':
      return changeText(context, draft, change);
    case 'delete':
      return deletePath(draft, change.path);
    case 'move':
      return movePath(draft, change);
  }
}

function made(draft: DraftTree): ChangeOutcome {
  return { kind: 'made', draft };
}

/** Edits or writes a file, by the rules of a call of its own. */
async function changeText(
  { earlier }: ToolCallContext,
  draft: DraftTree,
  change: Extract<OneChange, { op: 'edit' | 'write' }>,
): Promise<ChangeOutcome> {
  const { workspace } = draft;
  const found = await fetchDraftFile(draft, change.path, editAccess(['change_files', ...CHANGE_TOOLS[change.op]]));
  if (found.kind === 'refused') return found;
  const { path, current } = found;
  if (current === null && change.op === 'edit')
    return {
      kind: 'refused',
      output: fileNotFoundText({ tree: draft.tree, rules: workspace.rules }, path, 'Use write to create it.'),
    };
  const step =
    change.op === 'edit'
      ? { kind: 'edits' as const, edits: [editRequest(change)] }
      : { kind: 'content' as const, content: change.content };
  const isKnown = current === null || isReadOrWritten(found.draft, current, earlier);
  const file = current?.file ?? null;
  const built = buildText({
    ...{ path, repositoryName: workspace.repo, file, step },
    lastReadBlob: isKnown ? (file?.ref.blob ?? null) : null,
  });
  if (built.kind === 'refused') return built;
  const after = applyChange(file, built.change);
  return made(withFile(found.draft, path, { file: after, origin: current?.origin ?? null }));
}

function editRequest({
  old_string: oldString,
  new_string: newString,
  replace_all: replaceAll,
}: Extract<OneChange, { op: 'edit' }>) {
  return { oldString, newString, replaceAll };
}

/** A file may be replaced as a whole if this run has read it at the head, or if it is new in this call. */
function isReadOrWritten(
  { workspace, before }: DraftTree,
  { origin }: DraftFile,
  earlier: ToolCallContext['earlier'],
): boolean {
  const base = origin === null ? null : (before.get(origin) ?? null);
  return base === null || origin === null || lastReadBlob({ workspace, earlier }, origin) === base.ref.blob;
}

async function deletePath(draft: DraftTree, rawPath: string): Promise<ChangeOutcome> {
  const found = await fetchDraftFile(draft, rawPath, wholeFileAccess(['change_files', ...CHANGE_TOOLS.delete]));
  if (found.kind === 'refused') return found;
  if (found.current === null)
    return {
      kind: 'refused',
      output: fileNotFoundText({ tree: draft.tree, rules: draft.workspace.rules }, found.path),
    };
  return made(withFile(found.draft, found.path, null));
}

async function movePath(draft: DraftTree, { from, to }: Extract<OneChange, { op: 'move' }>): Promise<ChangeOutcome> {
  const { workspace } = draft;
  const found = await fetchDraftFile(draft, from, wholeFileAccess(['change_files', ...MOVE_TOOLS.source]));
  if (found.kind === 'refused') return found;
  const { current } = found;
  const { tree } = found.draft;
  if (current === null)
    return { kind: 'refused', output: fileNotFoundText({ tree, rules: workspace.rules }, found.path) };
  const access = writeAccess(['change_files', ...MOVE_TOOLS.target]);
  const target = checkAccess(checkMoveTarget(to, found.path, { repo: workspace.repo, tree }), access, workspace);
  if (target.kind === 'refused') return target;
  const gone = withFile(found.draft, found.path, null);
  return made(withFile(gone, target.path, current));
}

type FoundFile =
  | { readonly kind: 'found'; readonly draft: DraftTree; readonly path: string; readonly current: DraftFile | null }
  | Refused;

type Access = Parameters<typeof fetchAllowedFile>[2];

/** The file of an allowed path as the changes so far leave it; null if there is none. */
async function fetchDraftFile(draft: DraftTree, rawPath: string, access: Access): Promise<FoundFile> {
  const { workspace, files } = draft;
  // The head's own file is fetched only where no change has touched the path.
  const checked = checkAccess(
    checkPath(rawPath, { repo: draft.workspace.repo, tree: draft.tree }),
    access,
    draft.workspace,
  );
  if (checked.kind === 'refused') return checked;
  const { path } = checked;
  const known = files.get(path);
  if (known !== undefined) return { kind: 'found', draft, path, current: known };
  const fetched = await fetchAllowedFile(workspace, path, access);
  if (fetched.kind === 'refused') return fetched;
  const current = fetched.file === null ? null : { file: fetched.file, origin: path };
  return { kind: 'found', draft: withHeadFile(draft, path, fetched.file), path, current };
}

/** A path of a change that another one of the same set touches too; null if all are separate. */
function findSharedPath({ members }: Change): string | null {
  const shared = members.find((one, index) => members.slice(0, index).some((other) => areMembersTouching(one, other)));
  return shared?.path ?? null;
}

/** A file as the changes so far leave it. `origin` is its path at the head; null for a new one. */
type DraftFile = { readonly file: StoredFile; readonly origin: string | null };

/** The head with the changes made so far: a tree to check paths with, and the files that were touched. */
type DraftTree = {
  readonly workspace: Workspace;
  /** Changed in place, because a copy for each change would take too long in a large repository. */
  readonly tree: Map<string, TreeEntry>;
  /** By path; null for a path whose file is gone. */
  readonly files: ReadonlyMap<string, DraftFile | null>;
  /** The files at the head of the touched paths. A path that was free has none. */
  readonly before: ReadonlyMap<string, StoredFile | null>;
};

/** The draft with a file of the head that a change is about to touch; null for a free path. */
function withHeadFile(draft: DraftTree, path: string, file: StoredFile | null): DraftTree {
  return {
    ...draft,
    before: new Map([...draft.before, [path, file]]),
    files: new Map([...draft.files, [path, file === null ? null : { file, origin: path }]]),
  };
}

/** The draft after a change of a path; null where its file is gone. The draft before it must not be used again. */
function withFile(draft: DraftTree, path: string, changed: DraftFile | null): DraftTree {
  const files = new Map([...draft.files, [path, changed]]);
  if (changed === null) draft.tree.delete(path);
  else addFile(draft, path, changed.file);
  return { ...draft, files };
}

function touchedPaths({ files, before }: DraftTree): readonly TouchedPath[] {
  return [...files].map(([path, after]) => ({
    path,
    before: before.get(path) ?? null,
    after: after?.file ?? null,
    origin: after?.origin ?? null,
  }));
}

const NEW_DIRECTORY: TreeEntry = { mode: '040000', sha: '', size: null };

/** Adds a file with the directories above it, so that no other file can take their place. */
function addFile({ tree }: DraftTree, path: string, { ref, bytes }: StoredFile): void {
  tree.set(path, { mode: ref.mode, sha: ref.blob, size: bytes.length });
  for (const directory of pathAndParents(path).slice(0, -1))
    if (!tree.has(directory)) tree.set(directory, NEW_DIRECTORY);
}
