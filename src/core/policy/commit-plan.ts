import { type BlobRef, type FileChange, isRestore, isWholeFileChange, type Region } from '../edits/change.ts';
import { applyRegion, composeFile, type LineRange, regionRange } from '../edits/region.ts';
import { blobSha, encodeText } from '../edits/text/characters.ts';
import { areLinesEqual } from '../edits/text/lines.ts';
import type { Proposal } from '../state/proposal.ts';
import type { Permission, VoteSources } from '../state/vote.ts';
import type { FileWrite, Tree, TreeEntry } from '../step/ports.ts';
import type { CommittedFile, TreeFile, TreeMismatch } from '../step/signals.ts';
import { areMembersTouching } from './earlier-changes.ts';
import { entryKind } from './paths.ts';

/** A file at the commit's parent; `text` is null for a file that is not text. */
export type HeadFile = { readonly ref: BlobRef; readonly text: string | null };

/** Files by path; null for an unused path, absent for anything but a plain file. */
export type HeadFiles = ReadonlyMap<string, HeadFile | null>;

/**
 * One proposal with the places of its members at the head, the current permissions of its approvers (by numeric id),
 * and the comments of their approvals as they are now.
 */
export type ProposalToCommit = {
  readonly proposal: Proposal;
  /** Of each member, in order. Null only for a member without lines. */
  readonly regions: readonly (Region | null)[];
  readonly permissions: Readonly<Record<string, Permission>>;
  readonly voteSources: VoteSources;
};

/** One member of a proposal with its place at the head; null only without lines. */
export type MemberToCommit = {
  readonly proposalId: string;
  readonly change: FileChange;
  readonly region: Region | null;
};

/** The members of a proposal, each with its place. Throws if places are missing. */
export function membersToCommit({ proposal, regions }: ProposalToCommit): readonly MemberToCommit[] {
  const { members } = proposal.change;
  if (regions.length !== members.length) throw new Error(`Proposal ${proposal.id} has members without a place`);
  return members.map((change, index) => ({ proposalId: proposal.id, change, region: regions[index] ?? null }));
}

/** The file writes of a commit, and the committed lines of each member. */
export type PlannedWrites = {
  readonly writes: readonly FileWrite[];
  readonly files: readonly CommittedFile[];
  readonly ranges: ReadonlyMap<FileChange, LineRange>;
};

/** The writes of all members on the current files. Throws if one differs from what was shown. */
export function planWrites(members: readonly MemberToCommit[], files: HeadFiles): readonly PlannedWrites[] {
  const lineChanges = members.filter(({ change }) => !isWholeFileChange(change));
  const byPath = Map.groupBy(lineChanges, ({ change }) => change.path);
  const wholeFiles = members.filter(({ change }) => isWholeFileChange(change));
  return [
    ...[...byPath].map(([path, ofPath]) => planLines(path, ofPath, files)),
    ...wholeFiles.map((member) => planWholeFile(member, members, files)),
  ];
}

/** A deletion, move or restore. No other change of the commit can touch its paths. */
function planWholeFile(member: MemberToCommit, members: readonly MemberToCommit[], files: HeadFiles): PlannedWrites {
  const { proposalId, change } = member;
  if (members.some((other) => other !== member && areMembersTouching(change, other.change)))
    throw new Error(`Proposal ${proposalId} shares its path with another change of the commit`);
  if (change.op === 'move') return planMove(member, files);
  return change.op === 'delete' ? planDeletion(member, files) : planRestore(member, files);
}

/** Combines all line changes of one file, on its current content. Throws if the lines differ from those shown. */
function planLines(path: string, toCommit: readonly MemberToCommit[], files: HeadFiles): PlannedWrites {
  const file = headFileAt(path, files);
  const composed = composeFile(headText(path, file), toCommit.map(exactRegion));
  const bytes = encodeText(composed.text);
  const after = blobSha(bytes);
  checkResult(toCommit, file, after);
  const ranges = new Map(
    toCommit.flatMap(({ change }, at) => {
      const range = composed.ranges[at];
      return range === undefined ? [] : [[change, range] as const];
    }),
  );
  const mode = file?.ref.mode ?? toCommit[0]?.change.result?.mode ?? '100644';
  return {
    writes: [{ path, mode, content: { kind: 'bytes', bytes } }],
    files: [{ path, before: file?.ref.blob ?? null, after, ranges: [...ranges.values()] }],
    ranges,
  };
}

/** Deletes a file. Throws unless it is the file that was shown, and, if it is text, all of its lines were shown. */
function planDeletion({ proposalId: id, change }: MemberToCommit, files: HeadFiles): PlannedWrites {
  const { path, region } = change;
  const { ref, text } = requireUnchanged(id, change.base, headFileAt(path, files));
  const wasShown = region === null ? text === null : text !== null && deletesEveryLine(text, ref, region);
  if (!wasShown || change.result !== null) throw new Error(`Proposal ${id} would delete other lines than were shown`);
  const ranges = region === null ? [] : [regionRange(region)];
  return {
    writes: [{ path, mode: ref.mode, content: { kind: 'deleted' } }],
    files: [{ path, before: ref.blob, after: null, ranges }],
    ranges: new Map(ranges.map((range) => [change, range])),
  };
}

/**
 * Moves a file, as the same blob or with the lines that were shown. Throws unless it is the file that was shown and the
 * target path is unused.
 */
function planMove({ proposalId: id, change }: MemberToCommit, files: HeadFiles): PlannedWrites {
  const { path, from, result, region } = change;
  if (from === null) throw new Error(`Proposal ${id} moves no file`);
  const { ref, text } = requireUnchanged(id, change.base, headFileAt(from, files));
  const content = region === null ? ({ kind: 'blob', sha: ref.blob } as const) : movedText(id, text, region);
  const after = content.kind === 'blob' ? content.sha : blobSha(content.bytes);
  if (!isSame(result, { blob: after, mode: ref.mode }))
    throw new Error(`Proposal ${id} results in another file than was shown`);
  if (headFileAt(path, files) !== null) throw new Error(`Proposal ${id} would overwrite ${path}`);
  const ranges = region === null ? [] : [regionRange(region)];
  return {
    writes: [
      { path: from, mode: ref.mode, content: { kind: 'deleted' } },
      { path, mode: ref.mode, content },
    ],
    files: [
      { path: from, before: ref.blob, after: null, ranges },
      { path, before: null, after, ranges: [] },
    ],
    ranges: new Map(ranges.map((range) => [change, range])),
  };
}

function movedText(id: string, text: string | null, region: Region) {
  if (text === null) throw new Error(`Proposal ${id} moves a file that is not text`);
  return { kind: 'bytes', bytes: encodeText(applyRegion(text, region)) } as const;
}

/** Restores a deleted file as its former blob. Throws if it has lines to show or the path is in use. */
function planRestore({ proposalId: id, change }: MemberToCommit, files: HeadFiles): PlannedWrites {
  const { path, result } = change;
  if (!isRestore(change) || result === null) throw new Error(`Proposal ${id} restores no file`);
  if (headFileAt(path, files) !== null) throw new Error(`Proposal ${id} would overwrite ${path}`);
  return {
    writes: [{ path, mode: result.mode, content: { kind: 'blob', sha: result.blob } }],
    files: [{ path, before: null, after: result.blob, ranges: [] }],
    ranges: new Map(),
  };
}

/** Throws if the path holds anything but a plain file. */
function headFileAt(path: string, files: HeadFiles): HeadFile | null {
  const file = files.get(path);
  if (file === undefined) throw new Error(`${path} is not a plain file at the head`);
  return file;
}

function exactRegion({ proposalId, change, region }: MemberToCommit): Region {
  if (region === null || change.region === null) throw new Error(`Proposal ${proposalId} has no lines to write`);
  const isSame = areLinesEqual(region.old, change.region.old) && areLinesEqual(region.new, change.region.new);
  if (!isSame) throw new Error(`Proposal ${proposalId} would write other lines than were shown`);
  return region;
}

function headText(path: string, file: HeadFile | null): string {
  if (file === null) return '';
  if (file.text === null) throw new Error(`${path} is not text at the head`);
  return file.text;
}

/** A single change on the file that it was built for must result in the blob that was shown. */
function checkResult(toCommit: readonly MemberToCommit[], file: HeadFile | null, after: string): void {
  const [only, ...more] = toCommit;
  if (only === undefined || more.length > 0) return;
  const { proposalId: id, change } = only;
  const isUnchanged = (change.base?.blob ?? null) === (file?.ref.blob ?? null);
  if (isUnchanged && change.result?.blob !== after)
    throw new Error(`Proposal ${id} results in other bytes than were shown`);
}

function requireUnchanged(id: string, base: BlobRef | null, file: HeadFile | null): HeadFile {
  if (file === null || !isSame(base, file.ref))
    throw new Error(`Proposal ${id} is about another file than the one at the head`);
  return file;
}

/** Whether the text belongs to the blob and the shown lines are all of it. */
function deletesEveryLine(text: string, { blob }: BlobRef, region: Region): boolean {
  return blobSha(encodeText(text)) === blob && applyRegion(text, region) === '';
}

/**
 * Paths at which a commit's tree differs from its parent's tree plus exactly these writes; empty if the commit is
 * correct (B20).
 */
export function treeMismatches(
  writes: readonly FileWrite[],
  { before, after }: { readonly before: Tree; readonly after: Tree },
): readonly TreeMismatch[] {
  const approved = new Map(writes.map((write) => [write.path, writtenFile(write)]));
  const paths = new Set([...approved.keys(), ...changedTreePaths(before, after)]);
  return [...paths].flatMap((path) => {
    const written = approved.get(path);
    const expected = written === undefined ? fileAt(before, path) : written;
    const actual = fileAt(after, path);
    return isSame(expected, actual) ? [] : [{ path, expected, actual }];
  });
}

/** Paths whose blob or mode differs between two trees, each once and without directories. */
function changedTreePaths(before: Tree, after: Tree): readonly string[] {
  const changed = [...before].filter(([path, entry]) => !isSame(fileIn(entry), fileAt(after, path)));
  const added = [...after].filter(([path, entry]) => fileIn(entry) !== null && fileAt(before, path) === null);
  return [...new Set([...changed, ...added].map(([path]) => path))];
}

function writtenFile({ content, mode }: FileWrite): TreeFile | null {
  switch (content.kind) {
    case 'bytes':
      return { blob: blobSha(content.bytes), mode };
    case 'blob':
      return { blob: content.sha, mode };
    case 'deleted':
      return null;
  }
}

function fileAt(tree: Tree, path: string): TreeFile | null {
  const entry = tree.get(path);
  return entry === undefined ? null : fileIn(entry);
}

/** Directories are left out: their content determines them. */
function fileIn(entry: TreeEntry): TreeFile | null {
  return entryKind(entry) === 'directory' ? null : { blob: entry.sha, mode: entry.mode };
}

function isSame(left: TreeFile | null, right: TreeFile | null): boolean {
  return left?.blob === right?.blob && left?.mode === right?.mode;
}
