import { hash } from 'node:crypto';
import { computeHunks, type PatchHunk } from '../../fakes/github/git/diff.ts';
import { computeObjectId } from '../../fakes/github/git/objects.ts';
import { parseSuggestionBlock, replaceLines } from '../../fakes/people/commit-suggestion.ts';
import type { PathChange } from '../../src/cli/git/repository.ts';
import { verifyCommit } from '../../src/cli/verify/check-commit.ts';
import type { BuildResult } from '../../src/core/edits/build/build-change.ts';
import { buildDelete, buildMove } from '../../src/core/edits/build/build-files.ts';
import { buildText } from '../../src/core/edits/build/build-text.ts';
import { refuse, versionOf } from '../../src/core/edits/build/file-version.ts';
import { affectedPaths, type FileChange, membersOf, type StoredFile, sourcePath } from '../../src/core/edits/change.ts';
import { draftComments, type PlacedComments } from '../../src/core/messages/draft-comments.ts';
import { runWarnings } from '../../src/core/messages/run-warnings.ts';
import { DEFAULT_COMMIT_STYLE } from '../../src/core/policy/commit-message.ts';
import { computeUndo } from '../../src/core/policy/compute-undo.ts';
import { countersign } from '../../src/core/policy/countersign.ts';
import { areChangesTouching } from '../../src/core/policy/earlier-changes.ts';
import { findDeniedPath } from '../../src/core/policy/path-policy.ts';
import { DEFAULT_SETTINGS } from '../../src/core/state/settings.ts';
import { ana, links, proposal, vote } from '../../test/unit/core/messages/sample.ts';
import type { CommitFileChange } from './changes.ts';

type Method = `${'edit' | 'write' | 'delete' | 'move'}_file` | 'Commit suggestion' | 'undo';

/** `endings`: line endings, the last newline or the byte order mark differ, which no tool can request. */
type Result = 'exact' | 'endings' | 'refused' | 'mismatch';

/** One way of making a change. `reason` is why it was refused, or what is wrong. */
type Outcome = { readonly method: Method; readonly result: Result; readonly reason: string };

/** Makes a change with each tool that can, on a pull request that adds the file as it was before, and undoes it. */
export async function tryChange(change: CommitFileChange): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [method, built] of buildChanges(change)) {
    try {
      outcomes.push(...(await tryMethod(change, method, built)));
    } catch (error) {
      outcomes.push({ method, result: 'mismatch', reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return outcomes;
}

/** What the product builds for the calls of each tool. */
function buildChanges({ path, from, before, after }: CommitFileChange) {
  const file = { path, repositoryName: 'repository', file: before, lastReadBlob: before?.ref.blob ?? null };
  const ways: (readonly [Method, readonly BuildResult[]])[] = [];
  const [old, content] = [before, after].map((one) => (one === null ? null : versionOf(one).text));
  if (before !== null && from !== null)
    ways.push(['move_file', [buildMove({ ...file, from, to: path, file: before })]]);
  else if (before !== null && after === null) ways.push(['delete_file', [buildDelete({ ...file, file: before })]]);
  else if (content == null) ways.push(['write_file', [refuse('a file that is not text')]]);
  else {
    ways.push(['write_file', [buildText({ ...file, step: { kind: 'content', content } })]]);
    const edits = quoteHunks(old ?? '', content);
    const built = edits.map((edit) => buildText({ ...file, step: { kind: 'edits', edits: [edit] } }));
    if (built.length > 0) ways.push(['edit_file', built]);
  }
  return ways;
}

/** More hunks take long, and show nothing new. */
const MAX_HUNKS = 20;

/** An edit of each hunk, with enough lines around it to be found. None if there are too many. */
function quoteHunks(old: string, content: string) {
  if (old === '') return [];
  const edits = [3, 12, 48].map((context) => computeHunks(old, content, context).map(quoteHunk));
  const found =
    edits.find((all) => all.every(({ oldString: one }) => old.indexOf(one) === old.lastIndexOf(one))) ?? edits.at(-1);
  return found === undefined || found.length > MAX_HUNKS ? [] : found;
}

function quoteHunk({ lines }: PatchHunk) {
  const [oldString = '', newString = ''] = ['-', '+'].map((side) =>
    lines
      .map((line, index) => (lines[index + 1]?.startsWith('\\') ? line : `${line}\n`))
      .flatMap((line) => (line.startsWith(' ') || line.startsWith(side) ? line.slice(1) : []))
      .join(''),
  );
  return { oldString, newString, replaceAll: false };
}

async function tryMethod(
  { path, from, before, after }: CommitFileChange,
  method: Method,
  built: readonly BuildResult[],
): Promise<readonly Outcome[]> {
  const refused = built.find((one) => one.kind === 'refused');
  if (refused?.kind === 'refused') return [{ method, result: 'refused', reason: refused.output }];
  const proposed = built.flatMap((one) => (one.kind === 'change' ? [one.change] : []));
  const files: Files = new Map(before === null ? [] : [[from ?? path, toFile(before)]]);
  const pages = proposed.map((one) => drawPage(files, one));
  const reason = findRefusal(proposed, pages);
  if (reason !== null) return [{ method, result: 'refused', reason }];
  const pressed = proposed.flatMap((one, index) => pressButton(before, one, pages[index] ?? null));
  const committed = await commitAll(files, proposed, files);
  // No tool can change a mode: a file keeps its own, and a new one is not executable.
  const mode = before?.ref.mode ?? '100644';
  const wanted = new Map(after === null ? [] : [[path, toFile({ ...after, ref: { ...after.ref, mode } })]]);
  const made = { method, result: compare(committed.files, wanted), reason: 'other files than those of the commit' };
  return [...pressed, made, await tryUndo(files, proposed, committed)];
}

/** Why the product would not propose these changes; null if it would. */
function findRefusal(proposed: readonly FileChange[], pages: readonly (PlacedComments | null)[]): string | null {
  const denied = proposed.map((one) => findDeniedPath(DEFAULT_SETTINGS, proposal(one))).find((one) => one !== null);
  if (denied != null) return denied.rule;
  const touching = proposed.some((one, index) => proposed.slice(0, index).some((two) => areChangesTouching(one, two)));
  if (touching) return 'hunks that touch';
  return pages.includes(null) ? 'no page can show exactly this change' : null;
}

/** A file in the forms in which the core takes it. */
type File = StoredFile & StoredFile['ref'] & { readonly text: string | null };

/** The files of a branch by path. */
type Files = ReadonlyMap<string, File>;

function toFile({ ref: { mode }, bytes }: StoredFile): File {
  const ref = { blob: computeObjectId('blob', bytes), mode };
  return { ...ref, ref, bytes, text: versionOf({ ref, bytes }).text };
}

/** The page of a change, read back; null if none shows exactly its bytes. */
function drawPage(files: Files, change: FileChange): PlacedComments | null {
  const path = sourcePath(change);
  const text = files.get(path)?.text ?? '';
  const added = text.split(/(?<=\n)/).map((line) => (line.endsWith('\n') ? `+${line}` : `+${line}\n\\ No newline\n`));
  const patch = `@@ -0,0 +1,${added.length} @@\n${added.join('')}`;
  const entry = { path, previousPath: null, status: 'added', added: added.length, removed: 0, patch };
  const file = files.has(path) ? entry : undefined;
  return draftComments(proposal(change), { runDetails: runWarnings(null), links, memberTexts: [text], file, path });
}

/** Presses *Commit suggestion*, where the page has the button. */
function pressButton(file: StoredFile | null, { result }: FileChange, page: PlacedComments | null): readonly Outcome[] {
  if (file === null || page?.placement.kind !== 'suggestion') return [];
  const { startLine, line } = page.placement;
  const lines = parseSuggestionBlock(page.comments.body) ?? [];
  const bytes = replaceLines(file.bytes, [{ start: startLine ?? line, end: line, lines }]);
  const isShown = computeObjectId('blob', bytes) === result?.blob;
  return [{ method: 'Commit suggestion', result: isShown ? 'exact' : 'mismatch', reason: 'other bytes than stored' }];
}

const BODY = '/approve all';

const APPROVAL = { ...vote('approve', ana), surface: 'conversation', bodyHash: hash('sha256', BODY, 'hex') } as const;

const COMMENT = {
  ...{ authorId: ana.id, authorLogin: ana.login, body: BODY, createdAt: APPROVAL.writtenAt },
  ...{ viaApp: false, thread: null, reviewState: null },
};

type Committed = Awaited<ReturnType<typeof commitAll>>;

/**
 * Commits approved changes together, and checks the commit with `countersign verify`. Throws if it cannot be made.
 * `stored` has files whose blobs the repository has as well.
 */
async function commitAll(before: Files, changes: readonly FileChange[], stored: Files) {
  const toCommit = changes.map((change, index) => ({
    proposal: proposal(change, { id: `c${String(index).padStart(3, '0')}`, state: 'executing', votes: [APPROVAL] }),
    regions: [change.region],
    permissions: { [ana.id]: 'write' } as const,
    voteSources: { [`conversation:${APPROVAL.commentId}`]: COMMENT },
  }));
  const {
    plan,
    committedVersions,
    files: written,
  } = countersign({
    ...{ branch: 'topic', headSha: 'a'.repeat(40), toCommit, links, style: DEFAULT_COMMIT_STYLE },
    files: new Map(changes.flatMap(affectedPaths).map((path) => [path, before.get(path) ?? null])),
    rules: { ...DEFAULT_SETTINGS, codeOwners: null, author: null, requester: null },
    standing: { approvals: [], rules: DEFAULT_SETTINGS, runBy: null, now: APPROVAL.at },
  });
  const files = new Map(before);
  for (const { path, mode, content } of plan.files) {
    const known = [...stored.values()].find(({ blob }) => content.kind === 'blob' && blob === content.sha);
    const bytes = content.kind === 'bytes' ? content.bytes : known?.bytes;
    if (bytes === undefined) files.delete(path);
    else files.set(path, toFile({ ref: { blob: '', mode }, bytes }));
  }
  await verify(before, files, plan.message, changes.length);
  const ranges = plan.proposalIds.map((id) => committedVersions[id]?.range ?? null);
  const appCommits = written.flatMap(({ before: blobBefore, after: blobAfter, ...one }) =>
    blobBefore === null || blobAfter === null ? [] : [{ blobBefore, blobAfter, ranges: one.ranges }],
  );
  return { files, ranges, appCommits };
}

/** Throws unless `countersign verify` finds exactly this many changes, and no mistake. */
async function verify(before: Files, after: Files, message: string, count: number): Promise<void> {
  const entryOf = (file: File | undefined) => (file === undefined ? null : { mode: file.mode, id: file.blob });
  const changes = [...new Set([...before.keys(), ...after.keys()])]
    .map((path): PathChange => ({ path, before: entryOf(before.get(path)), after: entryOf(after.get(path)) }))
    .filter((one) => one.before?.id !== one.after?.id || one.before?.mode !== one.after?.mode);
  const blobs = new Map([...before.values(), ...after.values()].map(({ blob, bytes }) => [blob, Buffer.from(bytes)]));
  const author = { name: 'countersign[bot]', email: '1+countersign[bot]@users.noreply.github.com' };
  const rows = await verifyCommit(
    { listChanges: async () => changes, readBlobs: async () => blobs },
    { id: 'b'.repeat(40), parents: ['a'.repeat(40)], author, committer: author, message },
    { slug: 'countersign', host: 'github.com' },
  );
  const wrong = rows.find(({ result }) => result !== 'ok');
  if (wrong !== undefined || rows.length !== count)
    throw new Error(`countersign verify: ${wrong?.problem ?? `${rows.length} of ${count} changes`}`);
}

/** Undoes all changes with one commit, and compares the files with those before them. */
async function tryUndo(original: Files, proposed: readonly FileChange[], committed: Committed): Promise<Outcome> {
  const { files, ranges, appCommits } = committed;
  const undone: FileChange[] = [];
  for (const [index, change] of proposed.entries()) {
    const members = [{ change, range: ranges[index] ?? null, appCommits }];
    const atHead = Object.fromEntries(affectedPaths(change).map((path) => [path, files.get(path) ?? null]));
    const undo = computeUndo({ id: 'k7q2', change, members }, atHead);
    if (undo.kind !== 'change') return refuseUndo(undo.kind === 'refused' ? undo.message : undo.kind);
    undone.push(...membersOf(undo.change));
  }
  const pages = undone.map((one) => drawPage(files, one));
  const reason = findRefusal(undone, pages);
  if (reason !== null) return refuseUndo(reason);
  const restored = await commitAll(files, undone, original);
  const result = compare(restored.files, original) === 'exact' ? 'exact' : 'mismatch';
  return { method: 'undo', result, reason: 'other files than before' };
}

function refuseUndo(reason: string): Outcome {
  return { method: 'undo', result: 'refused', reason };
}

function compare(actual: Files, wanted: Files): Result {
  const results = [...wanted].map(([path, file]): Result => {
    const found = actual.get(path);
    if (found?.mode !== file.mode) return 'mismatch';
    if (found.blob === file.blob) return 'exact';
    const [left, right] = [withoutEndings(found), withoutEndings(file)];
    return left === right || `${left}\n` === right || left === `${right}\n` ? 'endings' : 'mismatch';
  });
  if (actual.size !== wanted.size || results.includes('mismatch')) return 'mismatch';
  return results.includes('endings') ? 'endings' : 'exact';
}

function withoutEndings({ bytes }: StoredFile): string {
  const text = Buffer.from(bytes).toString('latin1');
  return text.replace(/^\u{EF}\u{BB}\u{BF}/u, '').replaceAll('\r\n', '\n');
}
