import { formatsOf } from '../../adapters/syntax/formats.ts';
import { findNewSyntaxError } from '../../adapters/syntax/new-syntax-error.ts';
import { findDeclarations } from '../../adapters/syntax/parse-source.ts';
import { selectDiffs } from '../../core/agent/context/diff-excerpt.ts';
import { type InstructionBytes, readInstructions } from '../../core/agent/context/instructions.ts';
import { buildOverview } from '../../core/agent/context/overview.ts';
import {
  type JoinedPaths,
  type ListedPaths,
  MAX_ALTERNATIVES,
  matchPaths,
  type PathQuery,
  sortReadablePaths,
} from '../../core/agent/shared/file-list.ts';
import { type DiscussionInput, formatDiscussion } from '../../core/agent/tools/discussion.ts';
import {
  type BatchSearch,
  type FileSearch,
  type SearchResults,
  searchFile,
  searchFileBatch,
} from '../../core/agent/tools/file-search.ts';
import { findQueryProblem, type LineQuery } from '../../core/agent/tools/find-lines.ts';
import { formatOutline, type OutlineInput } from '../../core/agent/tools/outline.ts';
import { type ParsedCall, parseCall, type RawToolCall } from '../../core/agent/tools/parse-call.ts';
import { formatPullDiff, type PullDiffInput } from '../../core/agent/tools/pull-diff.ts';
import { type FileView, formatFileContent, type ReadFileInput } from '../../core/agent/tools/read-only-tools.ts';
import { COMMAND_LIST } from '../../core/commands/all-commands.ts';
import type { BuildResult } from '../../core/edits/build/build-edit.ts';
import {
  buildDelete,
  buildMove,
  buildRead,
  type DeleteInput,
  type MoveInput,
} from '../../core/edits/build/build-file-ops.ts';
import { buildSet, type SetInput, type SetResult } from '../../core/edits/build/build-set.ts';
import { buildText, type TextInput, type TextStep } from '../../core/edits/build/build-text.ts';
import { applyUserEdit, type UserEditInput, type UserEditResult } from '../../core/edits/build/user-edit.ts';
import { changeDiff, type FileChange, type Region } from '../../core/edits/change.ts';
import { composeFile } from '../../core/edits/region.ts';
import { decodeText } from '../../core/edits/text/characters.ts';
import {
  type DraftInput,
  draftComments,
  draftCommentsAt,
  type PlacedComments,
  type PlacedDraftInput,
} from '../../core/messages/draft-comments.ts';
import { countParts, type RenderedProposal } from '../../core/messages/proposal/proposal-comment.ts';
import type { ProposalView } from '../../core/messages/proposal/proposal-status.ts';
import { renderPostedProposal } from '../../core/messages/proposal/read-back.ts';
import { findShownDigest, type ShownProposal } from '../../core/messages/proposal/shown-change.ts';
import { renderReply, renderReplyContinuations } from '../../core/messages/replies.ts';
import { findOwners, type OwnersFound, type OwnersQuery } from '../../core/policy/code-owners.ts';
import { computeUndo } from '../../core/policy/compute-undo.ts';
import { isFoundAfterEdit, type TextAfterEdit } from '../../core/policy/earlier-changes.ts';
import {
  assessFile,
  assessPush,
  type FileAssessmentInput,
  needsFileText,
  type PathPush,
} from '../../core/policy/push-impact.ts';
import type {
  AssessableChange,
  FileAtHead,
  ProposalApplicability,
  PushAssessment,
} from '../../core/state/head-changes.ts';
import type { Proposal, SyntaxProblem } from '../../core/state/proposal.ts';
import type { PathRules } from '../../core/state/settings.ts';
import type { DiffExcerpt, DirectoryCount, InstructionFile } from '../../core/state/task-context.ts';
import type { PullRequestFile } from '../../core/step/ports.ts';
import type { Reply } from '../../core/step/replies.ts';
import type { MemberUndo, UndoContext } from '../../core/step/undo.ts';
import type { RepoLinks } from '../../lib/format.ts';

/**
 * Runs a computation in this thread or in another one, so that the event loop stays free meanwhile. Rejects with the
 * error of the computation, or with `OffloadError`.
 */
export type Offload = <Name extends OffloadName>(name: Name, input: OffloadInput<Name>) => Promise<OffloadOutput<Name>>;

/** Runs each computation in this thread: for processes that serve no requests. */
export const offloadInline: Offload = async (name, input) => runOffloaded(name, input);

/** Runs a computation at once. */
export function runOffloaded<Name extends OffloadName>(
  name: Name,
  input: OffloadInput<Name>,
): OffloadOutput<Name> | Promise<OffloadOutput<Name>> {
  return OFFLOAD_HANDLERS[name].run(input);
}

/** Characters and bytes of a large input. A hostile call with twice as many took at most 32 ms on busy cores. */
const LARGE_INPUT_LENGTH = 32_000;

/** Whether the computation might block the event loop for too long. */
export function isLargeInput<Name extends OffloadName>(name: Name, input: OffloadInput<Name>): boolean {
  return OFFLOAD_HANDLERS[name].size(input) >= LARGE_INPUT_LENGTH;
}

/** The time limit of a computation in the thread (ms). */
export function timeLimitOf(name: OffloadName, threadLimit: number): number {
  return Math.min(threadLimit, OFFLOAD_HANDLERS[name].timeoutMs ?? threadLimit);
}

/** A computation was ended without a result, because it took too much time or memory. */
export class OffloadError extends Error {
  readonly reason: 'timeout' | 'crash';
  constructor(reason: OffloadError['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OffloadError';
    this.reason = reason;
  }
}

/**
 * Pure functions that are slow on large input. Their inputs and outputs are plain data, which can be copied to a
 * thread.
 */
type OffloadFunctions = {
  readonly parseCall: OffloadSignature<RawToolCall, ParsedCall>;
  readonly formatFileContent: OffloadSignature<ReadFileInput, FileView>;
  readonly findQueryProblem: OffloadSignature<LineQuery, string | null>;
  readonly readInstructions: OffloadSignature<InstructionBytes, InstructionFile>;
  readonly searchFile: OffloadSignature<FileSearch, SearchResults>;
  readonly searchFileBatch: OffloadSignature<BatchSearch, SearchResults>;
  readonly sortReadablePaths: OffloadSignature<ListedPaths, string>;
  readonly matchPaths: OffloadSignature<PathQuery, string>;
  readonly selectDiffs: OffloadSignature<DiffSelection, DiffExcerpt>;
  readonly buildOverview: OffloadSignature<JoinedPaths, readonly DirectoryCount[]>;
  readonly parsedOutline: OffloadSignature<OutlineInput, string>;
  readonly plainOutline: OffloadSignature<OutlineInput, string>;
  readonly checkSyntax: OffloadSignature<FileToCheck, SyntaxProblem | null>;
  readonly formatPullDiff: OffloadSignature<PullDiffInput, string>;
  readonly formatDiscussion: OffloadSignature<DiscussionInput, string>;
  readonly buildText: OffloadSignature<TextInput, BuildResult>;
  readonly buildRead: OffloadSignature<DeleteInput, FileChange>;
  readonly buildDelete: OffloadSignature<DeleteInput, BuildResult>;
  readonly buildMove: OffloadSignature<MoveInput, BuildResult>;
  readonly buildSet: OffloadSignature<SetInput, SetResult>;
  readonly isFoundAfterEdit: OffloadSignature<TextAfterEdit, boolean>;
  readonly assessPush: OffloadSignature<PathPush, PushAssessment>;
  readonly assessFile: OffloadSignature<FileAssessmentInput, readonly ProposalApplicability[]>;
  readonly findOwners: OffloadSignature<OwnersQuery, OwnersFound>;
  readonly computeUndo: OffloadSignature<UndoContext, MemberUndo>;
  readonly applyUserEdit: OffloadSignature<UserEditInput, UserEditResult>;
  readonly draftComments: OffloadSignature<DraftInput, PlacedComments | null>;
  readonly draftCommentsAt: OffloadSignature<PlacedDraftInput, PlacedComments | null>;
  readonly countParts: OffloadSignature<Proposal, number>;
  readonly renderPostedProposal: OffloadSignature<ProposalView, RenderedProposal>;
  readonly findShownDigest: OffloadSignature<ShownProposal, string | null>;
  readonly renderReplyPages: OffloadSignature<ReplyToRender, readonly string[]>;
};

/** The files of a diff, and how many bytes of it are shown. */
type DiffSelection = {
  readonly files: readonly PullRequestFile[];
  readonly maxBytes: number;
  readonly rules: PathRules;
};

type ReplyToRender = { readonly reply: Reply; readonly links: RepoLinks };

export type OffloadName = keyof OffloadFunctions;

type OffloadSignature<Input, Output> = { readonly input: Input; readonly output: Output };

export type OffloadInput<Name extends OffloadName> = OffloadFunctions[Name]['input'];

export type OffloadOutput<Name extends OffloadName> = OffloadFunctions[Name]['output'];

/** `size` is the amount of text that the computation reads, in characters or bytes. */
type OffloadHandler<Name extends OffloadName> = {
  readonly run: (input: OffloadInput<Name>) => OffloadOutput<Name> | Promise<OffloadOutput<Name>>;
  readonly size: (input: OffloadInput<Name>) => number;
  /** A shorter time limit than that of the thread. */
  readonly timeoutMs?: number;
};

/** The size of a computation that always belongs in the thread. */
function always(): number {
  return LARGE_INPUT_LENGTH;
}

/** Time for one batch of a search with a pattern, or for one file in a parser; usual ones take a fiftieth of it. */
const PATTERN_TIMEOUT_MS = 5_000;

/** Time to match all paths of a repository; usual globs take a fiftieth of it. */
const GLOB_TIMEOUT_MS = 2_000;

const OFFLOAD_HANDLERS: { readonly [Name in OffloadName]: OffloadHandler<Name> } = {
  parseCall: { run: parseCall, size: (call) => call.arguments.length },
  formatFileContent: { run: formatFileContent, size: ({ bytes }) => bytes.length },
  readInstructions: { run: readInstructions, size: ({ bytes }) => bytes.length },
  // A pattern of a few characters can take long on any text.
  findQueryProblem: { run: findQueryProblem, size: always, timeoutMs: PATTERN_TIMEOUT_MS },
  searchFile: {
    run: ({ results, query, ...file }) => searchFile(results, file, query),
    size: ({ bytes }) => bytes.length,
  },
  searchFileBatch: { run: searchFileBatch, size: always, timeoutMs: PATTERN_TIMEOUT_MS },
  sortReadablePaths: { run: sortReadablePaths, size: ({ paths }) => paths.length },
  // A hostile glob compares each of its characters with each one of a path.
  matchPaths: {
    run: matchPaths,
    size: ({ paths, glob }) => paths.length * glob.length * (glob.includes('{') ? MAX_ALTERNATIVES : 1),
    timeoutMs: GLOB_TIMEOUT_MS,
  },
  selectDiffs: {
    run: ({ files, maxBytes, rules }) => selectDiffs(files, maxBytes, rules),
    size: ({ files }) => files.reduce((sum, { path, patch }) => sum + path.length + (patch?.length ?? 0), 0),
  },
  buildOverview: { run: buildOverview, size: ({ paths }) => paths.length },
  // A grammar can crash or hang, so it never runs in the main thread.
  parsedOutline: { run: parsedOutline, size: always, timeoutMs: PATTERN_TIMEOUT_MS },
  plainOutline: { run: (input) => formatOutline(input, null), size: ({ bytes }) => bytes.length },
  checkSyntax: {
    run: checkSyntax,
    // A grammar can crash or hang. Those of data are many times as slow as a search.
    size: ({ path, bytes, changes }) =>
      formatsOf(path).some(({ kind }) => kind !== 'data')
        ? always()
        : 8 * (bytes.length + changes.reduce((sum, region) => sum + regionLength(region), 0)),
    timeoutMs: PATTERN_TIMEOUT_MS,
  },
  formatPullDiff: {
    run: formatPullDiff,
    size: ({ files }) => files.reduce((sum, { path, patch }) => sum + path.length + (patch?.length ?? 0), 0),
  },
  formatDiscussion: { run: formatDiscussion, size: always },
  buildText: {
    run: buildText,
    // Each edit searches the whole file again.
    size: ({ file, steps }) =>
      steps.reduce((sum, step) => sum + Math.max(1, editsIn(step)) * (file?.bytes.length ?? 0) + stepLength(step), 0),
  },
  buildRead: { run: buildRead, size: ({ file }) => file.bytes.length },
  buildDelete: { run: buildDelete, size: ({ file }) => file.bytes.length },
  buildMove: { run: buildMove, size: ({ file }) => file.bytes.length },
  buildSet: {
    run: buildSet,
    size: ({ touched }) =>
      touched.reduce((sum, { before, after }) => sum + (before?.bytes.length ?? 0) + (after?.bytes.length ?? 0), 0),
  },
  isFoundAfterEdit: { run: isFoundAfterEdit, size: ({ bytes, searchText }) => bytes.length + searchText.length },
  assessPush: {
    run: assessPush,
    size: ({ before, after, pending }) => textLength(before) + assessedLength(pending, after),
  },
  assessFile: { run: assessFile, size: ({ file, pending }) => assessedLength(pending, file) },
  findOwners: { run: findOwners, size: ({ bytes, paths }) => bytes.length * paths.length },
  computeUndo: {
    run: computeUndo,
    size: ({ change, files }) => {
      const fileAtCommit = files.atCommit === 'commit-missing' ? null : files.atCommit;
      return textLength(fileAtCommit) + textLength(files.atHead) + regionLength(change.region);
    },
  },
  applyUserEdit: {
    run: applyUserEdit,
    size: ({ change, baseText, lines }) => (baseText?.length ?? 0) + regionLength(change.region) + totalLength(lines),
  },
  draftComments: {
    run: draftComments,
    size: ({ proposal, context }) => totalLength(context.memberTexts) + diffLength(proposal),
  },
  draftCommentsAt: {
    run: draftCommentsAt,
    size: ({ proposal, context }) => totalLength(context.memberTexts) + diffLength(proposal),
  },
  countParts: { run: countParts, size: diffLength },
  renderPostedProposal: { run: renderPostedProposal, size: ({ proposal }) => diffLength(proposal) },
  findShownDigest: {
    run: findShownDigest,
    size: ({ proposal, bodies }) => Math.max(diffLength(proposal), totalLength(bodies)),
  },
  renderReplyPages: {
    run: renderReplyPages,
    size: ({ reply }) => (reply.kind === 'proposal-details' ? (reply.diff?.length ?? 0) : 0),
  },
};

/** A file with the changes of it that are checked; `isNew` tells that there is none yet, and `bytes` are empty. */
export type FileToCheck = {
  readonly path: string;
  readonly isNew: boolean;
  readonly bytes: Uint8Array;
  /** Changes that are taken for granted. */
  readonly earlier: readonly Region[];
  /** Those that are judged. None touches another, or an earlier one. */
  readonly changes: readonly Region[];
};

/** The syntax error that changes bring into a file that parsed before; null if there is none, as far as known. */
async function checkSyntax({ path, isNew, bytes, earlier, changes }: FileToCheck): Promise<SyntaxProblem | null> {
  const decoded = decodeText(bytes);
  if (decoded.kind !== 'text') return null;
  const before = isNew && earlier.length === 0 ? null : composeFile(decoded.text, earlier).text;
  const after = composeFile(decoded.text, [...earlier, ...changes]).text;
  return findNewSyntaxError({ path, before, after });
}

async function parsedOutline(input: OutlineInput): Promise<string> {
  const decoded = decodeText(input.bytes);
  const source = { path: input.path, text: decoded.kind === 'text' ? decoded.text : '' };
  return formatOutline(input, await findDeclarations(source));
}

/** Renders a reply as comment bodies, in order. Most replies need one. */
function renderReplyPages({ reply, links }: ReplyToRender): readonly string[] {
  return [renderReply(reply, { links, commands: COMMAND_LIST }), ...renderReplyContinuations(reply)];
}

function editsIn(step: TextStep): number {
  return step.kind === 'edits' ? step.edits.length : 1;
}

function stepLength(step: TextStep): number {
  if (step.kind === 'content') return step.content.length;
  return step.edits.reduce((sum, { oldString, newString }) => sum + oldString.length + newString.length, 0);
}

function textLength(file: FileAtHead | null): number {
  return file?.text?.length ?? 0;
}

/** Counts the file once for each change that needs its text. */
function assessedLength(pending: readonly { readonly change: AssessableChange }[], file: FileAtHead | null): number {
  const readers = pending.filter(({ change }) => needsFileText(change, file));
  return readers.reduce((sum, { change }) => sum + textLength(file) + regionLength(change.region), 0);
}

function regionLength(region: Region | null): number {
  return region === null ? 0 : totalLength(region.old) + totalLength(region.new);
}

function totalLength(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length, 0);
}

/** Characters of the diff, which includes all lines of a region. */
function diffLength({ change }: Proposal): number {
  return changeDiff(change)?.length ?? 0;
}
